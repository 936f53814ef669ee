import { argoApiVersion, finalizers } from "@capstan/model";
import { setPolicyOf } from "@capstan/planning";
import type { SetNeeds, StoredApplication, StoredSet } from "./set-needs.ts";

/**
 * A set that is being deleted: Kubernetes deletes what it owns. Where its policy lets it delete nothing, its
 * Applications are let go first; this needs the finalizer, since without it the set is gone at once.
 */
export async function deleteSet(
  needs: SetNeeds,
  { set, owned }: { set: StoredSet; owned: readonly StoredApplication[] },
  signal: AbortSignal,
): Promise<void> {
  const { client, live } = needs;
  const held = set.metadata.finalizers ?? [];
  if (!held.includes(finalizers.resources)) return;
  if (!setPolicyOf(needs.settings.current, set).mayDelete)
    for (const { metadata } of owned) {
      const left = (metadata.ownerReferences ?? []).filter(({ uid }) => uid !== set.metadata.uid);
      const ref = {
        apiVersion: argoApiVersion,
        kind: "Application",
        namespace: metadata.namespace,
        name: metadata.name,
      };
      const body = { metadata: { ownerReferences: left, resourceVersion: metadata.resourceVersion } };
      live.observe(await client.patch(ref, { type: "merge", body }, { signal }));
    }
  const { name, namespace, resourceVersion } = set.metadata;
  const body = {
    metadata: { finalizers: held.filter((one) => one !== finalizers.resources), resourceVersion },
  };
  await client.patch(
    { apiVersion: argoApiVersion, kind: "ApplicationSet", namespace, name },
    { type: "merge", body },
    { signal },
  );
}
