import type { Clock } from "@capstan/flow";
import { type Cluster, type Clusters, clusterFor, type Settings } from "@capstan/kube";
import { type Application, isCapstanError } from "@capstan/model";
import { Counter, Gauge, type Registry } from "prom-client";
import { chosenLabels, listedIn } from "../loop/chosen-labels.ts";

const versionMs = 1_000;

/** Of an application's destination; "" where there is no such cluster, as Argo CD says it. */
export function serverFor(settings: Settings, { spec }: Application): string {
  try {
    return clusterFor(settings, spec.destination).server;
  } catch (error) {
    if (isCapstanError(error)) return "";
    throw error;
  }
}

interface Needs {
  readonly clusters: Pick<Clusters, "open" | "onOpen">;
  readonly settings: { readonly current: Settings };
  readonly clock: Pick<Clock, "now">;
}

/** Of the clusters that are connected (controller/metrics/clustercollector.go). */
export function registerClusterMetrics(registry: Registry, { clusters, settings, clock }: Needs): () => void {
  const registers = [registry];
  const stop = registerAges(registry, { clusters, clock });
  const collectLabels = chosenLabels(registry, {
    name: "argocd_cluster_labels",
    help: "Argo Cluster labels converted to Prometheus labels",
    of: ["server", "name"],
    keys: () => listedIn(settings.current.params["controller.metrics.cluster.labels"]),
    rows: () =>
      settings.current.clusters.map(({ server, name, labels }) => ({ of: { server, name }, labels })),
  });
  const versions = new Map<string, string>();
  const askVersions = () =>
    Promise.all(
      clusters.open().map(async ({ server, discovery }) => {
        const asked = discovery.serverVersion(AbortSignal.timeout(versionMs));
        versions.set(server, await asked.catch(() => versions.get(server) ?? ""));
      }),
    );
  new Gauge({
    name: "argocd_cluster_info",
    help: "Information about cluster.",
    labelNames: ["server", "k8s_version", "name"],
    registers,
    async collect() {
      collectLabels();
      await askVersions();
      this.reset();
      for (const { server, name } of clusters.open())
        this.set({ server, name, k8s_version: versions.get(server) ?? "" }, 1);
    },
  });
  new Gauge({
    name: "argocd_cluster_connection_status",
    help: "The k8s cluster current connection status.",
    labelNames: ["server", "k8s_version"],
    registers,
    async collect() {
      await askVersions();
      this.reset();
      for (const { server, live } of clusters.open()) {
        // A kind that may not be listed is no outage; that none can be read is one.
        const { kinds, problems } = live.stats();
        const isRead = kinds > 0 && problems.length < kinds;
        this.set({ server, k8s_version: versions.get(server) ?? "" }, isRead ? 1 : 0);
      }
    },
  });
  new Counter({
    name: "argocd_cluster_events_total",
    help: "Number of processes k8s resource events.",
    labelNames: ["server", "group", "kind"],
    registers,
    collect() {
      this.reset();
      for (const { server, live } of clusters.open())
        for (const { group, kind, count } of live.stats().events)
          if (count > 0) this.inc({ server, group, kind }, count);
    },
  });
  const counted = [
    ["argocd_cluster_api_resource_objects", "Number of k8s resource objects in the cache.", "objects"],
    ["argocd_cluster_api_resources", "Number of monitored kubernetes API resources.", "kinds"],
  ] as const;
  for (const [name, help, field] of counted)
    new Gauge({
      name,
      help,
      labelNames: ["server"],
      registers,
      collect() {
        this.reset();
        for (const { server, live } of clusters.open()) this.set({ server }, live.stats()[field]);
      },
    });
  return stop;
}

/** Gives what ends it. */
function registerAges(registry: Registry, { clusters, clock }: Omit<Needs, "settings">): () => void {
  const openedAt = new WeakMap<Cluster, number>();
  new Gauge({
    name: "argocd_cluster_cache_age_seconds",
    help: "Cluster cache age in seconds.",
    labelNames: ["server"],
    registers: [registry],
    collect() {
      this.reset();
      for (const cluster of clusters.open()) {
        const sinceMs = clock.now() - (openedAt.get(cluster) ?? clock.now());
        this.set({ server: cluster.server }, Math.floor(sinceMs / 1000));
      }
    },
  });
  return clusters.onOpen((cluster) => void openedAt.set(cluster, clock.now()));
}
