import { withoutEndSlashes } from "@capstan/formats";
import type { ClusterSettings } from "@capstan/kube";
import { type Application, CapstanError, inClusterName, inClusterServer } from "@capstan/model";
import type { RestCluster } from "@capstan/wire";
import type { HandlerOf, Identity } from "../../call.ts";
import { requireRight } from "../access/rights.ts";
import { applicationGroup, isApplication } from "../application/read-application.ts";
import type { ApiContext } from "../context.ts";
import { deleteSecret, type StoredSecret, writeSecret } from "../repository/labelled-secrets.ts";
import { clusterSecret, readCluster } from "./cluster-secret.ts";

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

function objectOf({ server, project }: { server: string; project?: string | undefined }): string {
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
  const serverVersion = await open?.discovery.serverVersion(signal).catch(() => undefined);
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

/** The right is on the address, with its project before it; of a known address also on what is stored. */
export function createCluster(context: Needs): HandlerOf<"createCluster"> {
  return async ({ cluster, upsert = false }, { user, signal }) => {
    const wanted = readCluster(cluster);
    const { server, project, name } = wanted;
    const object = objectOf({ server, project });
    requireRight(context.rights, user, { resource, action: "create", object });
    const known = knownClusters(context).filter((one) => one.server === server || one.name === name);
    for (const one of known) requireChange(context, { stored: one, wanted, upsert, user });
    if (upsert && known.length > 0)
      requireRight(context.rights, user, { resource, action: "update", object });
    const stored = known.find((one) => one.server === server);
    const what = `cluster "${server}"`;
    const secret = clusterSecret(wanted, context.controlNamespace);
    await writeSecret(context, secret, { stored: secretOf(stored), upsert, what, signal });
    return { server, name };
  };
}

/** Whose address or name it is already decides; the cluster that Capstan runs on is known without a Secret. */
function requireChange(
  { rights }: Needs,
  of: { stored: NamedCluster; wanted: RestCluster; upsert: boolean; user: Identity },
): void {
  const { stored, wanted, upsert, user } = of;
  const isAddress = stored.server === wanted.server;
  const isSameAgain = isAddress && !upsert && objectOf(stored) === objectOf(wanted);
  const isAllowed =
    isSameAgain || rights.allows(user, { resource, action: "update", object: objectOf(stored) });
  const taken = isAddress ? `cluster "${wanted.server}"` : `the name "${wanted.name}" of a cluster`;
  if (!isAllowed)
    throw new CapstanError({ code: "FORBIDDEN", action: "update", what: taken, user: user.name });
  if (isAddress) return;
  const problem = `is that of ${stored.server} already: choose another`;
  throw new CapstanError({ code: "FAILED_PRECONDITION", what: taken, problem });
}

function secretOf(cluster: NamedCluster | undefined): StoredSecret | undefined {
  if (!cluster?.secret) return undefined;
  const { secret, server, project = "" } = cluster;
  return { secretName: secret.secretName, type: "cluster", holds: { server, project } };
}

export function deleteCluster(context: Needs): HandlerOf<"deleteCluster"> {
  return async ({ id, "id.type": type }, { user, signal }) => {
    const found = findCluster(context, { id, type, user, action: "delete" });
    const stored = secretOf(found);
    if (!stored)
      throw new CapstanError({
        code: "FAILED_PRECONDITION",
        what: `cluster "${id}"`,
        problem: "is the one Capstan runs on",
      });
    await deleteSecret(context, stored, { what: `cluster "${found.server}"`, signal });
    return {};
  };
}
