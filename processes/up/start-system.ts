import type { KubeClient } from "@capstan/kube";
import { controlClient } from "./control-client.ts";
import { openCluster, type WantedCluster } from "./open-cluster.ts";
import { pageOnDemand } from "./page-on-demand.ts";
import type { SystemInput } from "./system-input.ts";

export interface System extends AsyncDisposable {
  readonly kube: KubeClient;
  readonly kubeconfig: string;
  /** The page. */
  readonly url: string;
  /** Where /metrics needs no token. */
  readonly metricsUrl?: string | undefined;
  /** Ports that were busy and what was taken instead. */
  readonly movedPorts: readonly { wanted: number; taken: number }[];
  readonly isSimulated: boolean;
}

/** The cluster, then everything that works on it; closed in reverse. */
export async function startSystem(input: SystemInput, wanted: WantedCluster): Promise<System> {
  await using opened = new AsyncDisposableStack();
  // The cluster opens in a thread of its own meanwhile.
  if (input.options.controllers) void loadControlPlane().catch(() => undefined);
  const cluster = opened.use(await openCluster(input, wanted));
  const { kubeconfig, isSimulated, moved } = cluster;
  const kube = controlClient(input, cluster);
  const serving = opened.use(await serve(input, { kube, kubeconfig, isSimulated }));
  const closing = opened.move();
  return {
    kube,
    kubeconfig,
    url: serving.url,
    metricsUrl: serving.metricsUrl,
    movedPorts: [...moved, ...serving.moved],
    isSimulated,
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

const loadControlPlane = () => import("./start-control-plane.ts");

/** Capstan itself is loaded only where it is wanted: the cluster alone shall not pay for its loading. */
async function serve(input: SystemInput, on: { kube: KubeClient; kubeconfig: string; isSimulated: boolean }) {
  const { host, port, place, controllers } = input.options;
  if (controllers) return (await loadControlPlane()).startControlPlane(input, on);
  return pageOnDemand({
    address: { host, port },
    place,
    open: async () => (await loadControlPlane()).openControlPlane(input, on),
    onFailure: (error) => input.log.error({ error }, "the page cannot be opened"),
  });
}
