import { createKubeClient, type KubeClient } from "@capstan/kube";
import { userAgentOf } from "../surroundings/own-process.ts";
import type { OpenCluster } from "./open-cluster.ts";
import type { SystemInput } from "./system-input.ts";

/** Of the cluster with Applications, projects and settings, where several watches bring the same. */
export function controlClient(
  input: SystemInput,
  { transport, isSimulated }: Pick<OpenCluster, "transport" | "isSimulated">,
): KubeClient {
  return createKubeClient({
    transport,
    userAgent: userAgentOf(input),
    clock: input.clock,
    tellsForWhom: isSimulated,
    sharesWatched: true,
  });
}
