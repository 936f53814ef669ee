import { type ClusterSettings, readCluster } from "@capstan/kube";
import { CapstanError, isCapstanError, type Manifest, messageOf } from "@capstan/model";
import type { ClusterNeeds } from "./known-clusters.ts";

const limitMs = 15_000;

/** What a Secret says of a cluster, and the version with which that cluster answers. Rejects where it does not answer. */
export async function askVersion(
  { clusters }: Pick<ClusterNeeds, "clusters">,
  secret: Manifest,
  signal: AbortSignal,
): Promise<{ read: ClusterSettings; version: string }> {
  const read = readCluster(secret);
  const limited = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  try {
    const version = await clusters.ask(read.config, ({ discovery }) => discovery.serverVersion(limited));
    return { read, version };
  } catch (error) {
    signal.throwIfAborted();
    if (isCapstanError(error)) throw error;
    const problem = `does not answer as a Kubernetes cluster does: ${messageOf(error)}`;
    throw new CapstanError({ code: "FAILED_PRECONDITION", what: `cluster "${read.server}"`, problem }, error);
  }
}
