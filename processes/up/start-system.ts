import { createKubeClient, type KubeClient } from "@capstan/kube";
import { openCluster } from "./open-cluster.ts";
import type { startControlPlane } from "./start-control-plane.ts";
import { type SystemInput, userAgentOf } from "./system-input.ts";

export interface System extends AsyncDisposable {
  readonly kube: KubeClient;
  readonly kubeconfig: string;
  /** The page; absent with --no-controllers. */
  readonly url: string | undefined;
  /** Ports that were busy and what was taken instead. */
  readonly movedPorts: readonly { wanted: number; taken: number }[];
  readonly isSimulated: boolean;
}

/** The cluster, then everything that works on it; closed in reverse. */
export async function startSystem(input: SystemInput): Promise<System> {
  await using opened = new AsyncDisposableStack();
  const { transport, kubeconfig, isSimulated, moved } = opened.use(await openCluster(input));
  const kube = createKubeClient({ transport, userAgent: userAgentOf(input), clock: input.clock });
  const serving = input.options.controllers
    ? opened.use(await controlPlane(input, { kube, isSimulated }))
    : undefined;
  const closing = opened.move();
  return {
    kube,
    kubeconfig,
    url: serving?.url,
    movedPorts: [...moved, ...(serving?.moved ?? [])],
    isSimulated,
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** Loaded only where it is wanted: the cluster alone shall not pay for its loading. */
async function controlPlane(
  ...input: Parameters<typeof startControlPlane>
): ReturnType<typeof startControlPlane> {
  const loaded = await import("./start-control-plane.ts");
  return loaded.startControlPlane(...input);
}
