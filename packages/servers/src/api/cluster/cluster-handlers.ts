import type { ClusterSettings } from "@capstan/kube";
import {
  type Application,
  CapstanError,
  inClusterName,
  inClusterServer,
  labelKeys,
  type Manifest,
  withoutEndSlashes,
} from "@capstan/model";
import type { ClusterConfig, RestCluster } from "@capstan/wire";
import type { HandlerOf } from "../../call.ts";
import { requireRight } from "../access/rights.ts";
import { applicationGroup, isApplication } from "../application/read-application.ts";
import type { ApiContext } from "../context.ts";
import { writeSecret } from "../repository/labelled-secrets.ts";
import { fnv32a } from "../repository/repository-secret.ts";

type Needs = Pick<ApiContext, "settings" | "clusters" | "live" | "rights" | "kube" | "controlNamespace">;
type ShownNeeds = Pick<Needs, "clusters" | "live">;
type NamedCluster = Pick<ClusterSettings, "server" | "name"> & Partial<ClusterSettings>;

const resource = "clusters";

/** What may be shown of a cluster: its addresses and how it is, never its credentials. */
export function shownCluster({ clusters, live }: ShownNeeds, cluster: NamedCluster): RestCluster {
  const open = clusters.open().find((one) => one.server === cluster.server);
  const stats = open?.live.stats();
  const problem = stats?.problems[0]?.problem;
  const applicationsCount = live
    .ofKind(applicationGroup, "Application")
    .filter(isApplication)
    .filter((app) => goesTo(app, cluster)).length;
  const connectionState = {
    status:
      open === undefined ? ("Unknown" as const) : problem ? ("Failed" as const) : ("Successful" as const),
    ...(problem ? { message: problem } : {}),
  };
  return {
    server: cluster.server,
    name: cluster.name,
    connectionState,
    info: {
      connectionState,
      applicationsCount,
      cacheInfo: { resourcesCount: stats?.objects ?? 0, apisCount: stats?.kinds ?? 0 },
    },
    ...(cluster.namespaces ? { namespaces: [...cluster.namespaces] } : {}),
    ...(cluster.project ? { project: cluster.project } : {}),
    ...(cluster.labels ? { labels: { ...cluster.labels } } : {}),
  };
}

function goesTo({ spec }: Application, { server, name }: NamedCluster): boolean {
  const { destination } = spec;
  return destination.server ? withoutEndSlashes(destination.server) === server : destination.name === name;
}

function knownClusters({ settings }: Pick<Needs, "settings">): NamedCluster[] {
  const { clusters, general } = settings.current;
  const isListed = clusters.some(({ server }) => server === inClusterServer);
  return isListed || !general.inClusterEnabled
    ? [...clusters]
    : [{ server: inClusterServer, name: inClusterName }, ...clusters];
}

function objectOf({ server, project }: NamedCluster): string {
  return project ? `${project}/${server}` : server;
}

export function listClusters(context: Needs): HandlerOf<"listClusters"> {
  return async ({ server, name }, { user, signal }) => {
    const seen = knownClusters(context)
      .filter((one) => (!server || one.server === server) && (!name || one.name === name))
      .filter((one) => context.rights.allows(user, { resource, action: "get", object: objectOf(one) }));
    return { metadata: {}, items: await Promise.all(seen.map((one) => withVersion(context, one, signal))) };
  };
}

async function withVersion(context: Needs, cluster: NamedCluster, signal: AbortSignal): Promise<RestCluster> {
  const shown = shownCluster(context, cluster);
  const open = context.clusters.open().find((one) => one.server === cluster.server);
  const serverVersion = await open?.client.discovery.serverVersion(signal).catch(() => undefined);
  if (!serverVersion) return shown;
  return { ...shown, serverVersion, ...(shown.info ? { info: { ...shown.info, serverVersion } } : {}) };
}

export function getCluster(context: Needs): HandlerOf<"getCluster"> {
  return async ({ id, "id.type": type }, { user, signal }) => {
    const found = findCluster(context, { id, type, user, action: "get" });
    return withVersion(context, found, signal);
  };
}

function findCluster(
  context: Needs,
  {
    id,
    type,
    user,
    action,
  }: { id: string; type: string | undefined; user: Parameters<typeof requireRight>[1]; action: string },
): NamedCluster {
  const isByName = type?.startsWith("name") ?? false;
  const found = knownClusters(context).find((one) => (isByName ? one.name : one.server) === id);
  requireRight(context.rights, user, { resource, action, object: found ? objectOf(found) : id });
  if (!found) throw new CapstanError({ code: "NOT_FOUND", what: `cluster "${id}"` });
  return found;
}

/** The right is on the address, the Secret's name as Argo CD gives it: cluster-<host>-<fnv32a of the address>. */
export function createCluster(context: Needs): HandlerOf<"createCluster"> {
  return async ({ cluster, upsert }, { user, signal }) => {
    const server = withoutEndSlashes(cluster?.server ?? "");
    if (!server || !URL.canParse(server))
      throw new CapstanError({
        code: "INVALID_ARGUMENT",
        field: "server",
        problem: "must be the https address of an API server",
      });
    const object = objectOf(withProject(cluster, server));
    requireRight(context.rights, user, { resource, action: "create", object });
    const secret = clusterSecret({ ...cluster, server }, context.controlNamespace);
    const mayReplace = () => requireRight(context.rights, user, { resource, action: "update", object });
    await writeSecret(context, secret, {
      upsert: upsert ?? false,
      what: `cluster "${server}"`,
      mayReplace,
      signal,
    });
    return { server, name: cluster.name || server };
  };
}

function withProject({ name, project }: RestCluster, server: string): NamedCluster {
  return { server, name, ...(project ? { project } : {}) };
}

function clusterSecret(cluster: RestCluster, namespace: string): Manifest {
  const { server, name, config, namespaces, clusterResources, project, labels, annotations } = cluster;
  const texts: Record<string, string | undefined> = {
    server,
    name: name || server,
    config: JSON.stringify(config ?? ({} satisfies ClusterConfig)),
    namespaces: namespaces?.join(",") || undefined,
    clusterResources: clusterResources ? "true" : undefined,
    project,
  };
  const data: Record<string, string> = {};
  for (const [field, text] of Object.entries(texts))
    if (text) data[field] = Buffer.from(text).toString("base64");
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: `cluster-${new URL(server).hostname}-${fnv32a(server)}`,
      namespace,
      labels: { ...labels, [labelKeys.secretType]: "cluster" },
      annotations: { ...annotations, "managed-by": "argocd.argoproj.io" },
    },
    type: "Opaque",
    data,
  };
}

export function deleteCluster(context: Needs): HandlerOf<"deleteCluster"> {
  return async ({ id, "id.type": type }, { user, signal }) => {
    const found = findCluster(context, { id, type, user, action: "delete" });
    if (!found.secret)
      throw new CapstanError({
        code: "FAILED_PRECONDITION",
        what: `cluster "${id}"`,
        problem: "is the one Capstan runs on",
      });
    const ref = {
      apiVersion: "v1",
      kind: "Secret",
      namespace: context.controlNamespace,
      name: found.secret.secretName,
    };
    await context.kube.delete(ref, { signal });
    return {};
  };
}
