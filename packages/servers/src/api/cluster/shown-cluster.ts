import { formatTime, withoutEndSlashes } from "@capstan/formats";
import type { Cluster } from "@capstan/kube";
import {
  type Application,
  annotationKeys,
  inClusterServer,
  labelKeys,
  withoutUserinfo,
} from "@capstan/model";
import { apiVersionsOf } from "@capstan/planning";
import type { ConnectionState, RestCluster } from "@capstan/wire";
import { applicationGroup, isApplication } from "../application/read-application.ts";
import type { ClusterNeeds, KnownCluster } from "./known-clusters.ts";

type Needs = Pick<ClusterNeeds, "clusters" | "live" | "clock">;

/** What may be shown of a cluster: its addresses and how it is, never its credentials (v1alpha1 Cluster.Sanitized). */
export function shownCluster(context: Needs, cluster: KnownCluster): RestCluster {
  return show(context, cluster, watchedCluster(context, cluster));
}

function show({ live, clock }: Needs, cluster: KnownCluster, open: Cluster | undefined): RestCluster {
  const stats = open?.live.stats();
  const problem = stats?.problems[0]?.problem;
  const applicationsCount = live
    .ofKind(applicationGroup, "Application")
    .filter(isApplication)
    .filter((app) => goesTo(app, cluster)).length;
  const connectionState: ConnectionState = {
    status: open === undefined ? "Unknown" : problem ? "Failed" : "Successful",
    ...(open === undefined ? { message: unwatched } : problem ? { message: problem } : {}),
    attemptedAt: formatTime(clock.now()),
  };
  const apiVersions = open ? apiVersionsOf(open.discovery.known()) : [];
  return {
    server: cluster.server,
    name: cluster.name,
    connectionState,
    info: {
      connectionState,
      applicationsCount,
      ...(apiVersions.length > 0 ? { apiVersions: [...apiVersions] } : {}),
      cacheInfo: { resourcesCount: stats?.objects ?? 0, apisCount: stats?.kinds ?? 0 },
    },
    ...ofSecret(cluster),
  };
}

/** The one that Capstan runs on is watched whether or not something is deployed to it. */
function watchedCluster(context: Needs, cluster: KnownCluster): Cluster | undefined {
  const { server } = cluster;
  return server === inClusterServer
    ? context.clusters.forDestination({ server })
    : openCluster(context, cluster);
}

function openCluster({ clusters }: Needs, { server }: KnownCluster): Cluster | undefined {
  return clusters.open().find((one) => one.server === server);
}

/** Argo CD's words (controller/clusterinfoupdater.go). */
const unwatched = "Cluster has no applications and is not being monitored.";

/** What links may name of a cluster (server/deeplinks ClusterLinksData). */
export function linkedCluster(cluster: KnownCluster): object {
  const { namespaces, shard, project, labels, annotations } = ofSecret(cluster);
  const optional = { namespaces, shard, project, labels, annotations };
  const given = Object.entries(optional).filter(([, value]) => value !== undefined);
  return { server: cluster.server, name: cluster.name, ...Object.fromEntries(given) };
}

function ofSecret(cluster: KnownCluster): Partial<RestCluster> {
  const { namespaces, project, clusterResources, shard, labels = {}, annotations = {}, config } = cluster;
  const { [labelKeys.secretType]: _type, ...ownLabels } = labels;
  const { [annotationKeys.lastApplied]: _applied, [annotationKeys.managedBy]: _by, ...others } = annotations;
  const { [annotationKeys.refresh]: refreshRequestedAt, ...ownAnnotations } = others;
  return {
    ...(namespaces ? { namespaces: [...namespaces] } : {}),
    ...(project ? { project } : {}),
    ...(clusterResources ? { clusterResources } : {}),
    ...(shard === undefined ? {} : { shard }),
    ...(refreshRequestedAt === undefined ? {} : { refreshRequestedAt }),
    ...(Object.keys(ownLabels).length > 0 ? { labels: ownLabels } : {}),
    ...(Object.keys(ownAnnotations).length > 0 ? { annotations: ownAnnotations } : {}),
    config: {
      tlsClientConfig: { insecure: config?.insecure ?? false },
      ...(config?.disableCompression ? { disableCompression: true } : {}),
      ...(config?.proxyUrl ? { proxyUrl: withoutUserinfo(config.proxyUrl) } : {}),
    },
  };
}

export function goesTo({ spec }: Application, { server, name }: KnownCluster): boolean {
  const { destination } = spec;
  return destination.server ? withoutEndSlashes(destination.server) === server : destination.name === name;
}

export async function withVersion(
  context: Needs,
  cluster: KnownCluster,
  signal: AbortSignal,
): Promise<RestCluster> {
  const open = watchedCluster(context, cluster);
  const shown = show(context, cluster, open);
  const serverVersion = await open?.discovery.serverVersion(signal).catch(() => undefined);
  return serverVersion ? answered(shown, serverVersion) : shown;
}

function answered(shown: RestCluster, serverVersion: string): RestCluster {
  return { ...shown, serverVersion, ...(shown.info ? { info: { ...shown.info, serverVersion } } : {}) };
}

/** One that has just answered. */
export function reached(context: Needs, cluster: KnownCluster, serverVersion: string): RestCluster {
  const shown = answered(show(context, cluster, openCluster(context, cluster)), serverVersion);
  const attemptedAt = formatTime(context.clock.now());
  const connectionState: ConnectionState = { status: "Successful", attemptedAt };
  return { ...shown, connectionState, ...(shown.info ? { info: { ...shown.info, connectionState } } : {}) };
}
