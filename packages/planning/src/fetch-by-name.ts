import { runLimited } from "@capstan/flow";
import { KubeError, type TenantCluster } from "@capstan/kube";
import { keyOf, keyText, type Manifest } from "@capstan/model";

/** Requests at a time. */
const atOnce = 10;

/**
 * What lives under the targets' names, of kinds that are not watched because they may not be listed, by the text of
 * its key (gitops-engine pkg/cache/cluster.go GetManagedLiveObjs). What may not be read either is not among it.
 */
export async function fetchByName(
  { client, live, permits }: TenantCluster,
  targets: readonly Manifest[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Manifest | undefined>> {
  const found = new Map<string, Manifest | undefined>();
  const wanted = targets.filter((target) => live.isLeftAlone(keyOf(target)) && permits(keyOf(target)));
  await runLimited(wanted, atOnce, async (target) => {
    const { name = "", namespace } = target.metadata;
    try {
      const { apiVersion, kind } = target;
      const object = await client.fetchLive({ apiVersion, kind, namespace, name }, signal);
      found.set(keyText(keyOf(target)), object);
    } catch (error) {
      if (!(error instanceof KubeError) || error.code >= 500) throw error;
    }
  });
  return found;
}
