import { type ClusterSettings, clusterFor, readSettings } from "@capstan/kube";
import {
  type Application,
  argoApiVersion,
  CapstanError,
  inClusterName,
  inClusterServer,
  isApplication,
} from "@capstan/model";
import { listed, type OpenCluster } from "./open-cluster.ts";

export interface KnownCluster {
  readonly server: string;
  readonly name: string;
  /** Undefined: the one that Capstan runs in, of which no Secret speaks. */
  readonly settings?: ClusterSettings;
  /** Those of the control namespace that are deployed there. */
  readonly applications: readonly Application[];
}

/** The clusters of an installation with their applications (cmd/argocd/commands/admin/cluster.go loadClusters). */
export async function fetchClusters(
  { client, namespace }: OpenCluster,
  signal: AbortSignal,
): Promise<KnownCluster[]> {
  const [maps, secrets, objects] = await Promise.all([
    listed(client, { apiVersion: "v1", kind: "ConfigMap", namespace }, signal),
    listed(client, { apiVersion: "v1", kind: "Secret", namespace }, signal),
    listed(client, { apiVersion: argoApiVersion, kind: "Application", namespace }, signal),
  ]);
  const settings = readSettings(maps, secrets);
  const known: Omit<KnownCluster, "applications">[] = settings.clusters.map((one) => ({
    server: one.server,
    name: one.name,
    settings: one,
  }));
  const isListed = known.some(({ server }) => server === inClusterServer);
  if (!isListed && settings.general.inClusterEnabled)
    known.push({ server: inClusterServer, name: inClusterName });
  const byServer = Map.groupBy(objects.filter(isApplication), ({ spec }) => {
    try {
      return clusterFor(settings, spec.destination).server;
    } catch (error) {
      // An application whose cluster nobody knows is on none.
      if (error instanceof CapstanError) return undefined;
      throw error;
    }
  });
  return known.map((one) => ({ ...one, applications: byServer.get(one.server) ?? [] }));
}

/** Where an application's objects are; where it should go as long as it has none. */
export function namespacesOf(applications: readonly Application[]): string[] {
  const found = applications.flatMap(({ spec, status }) => {
    const resources = status?.resources ?? [];
    return resources.length > 0
      ? resources.flatMap(({ namespace }) => namespace || [])
      : [spec.destination.namespace ?? ""];
  });
  return [...new Set(found)].sort((left, right) => left.length - right.length || (left < right ? -1 : 1));
}
