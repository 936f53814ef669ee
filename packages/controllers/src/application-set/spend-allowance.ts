import { isConflict, isNotFound } from "@capstan/kube";
import { annotationKeys, argoApiVersion } from "@capstan/model";
import type { SetPlan } from "@capstan/planning";
import type { SetNeeds, StoredSet } from "./set-needs.ts";

/**
 * A consent is used up once what it was for is done, and also where nothing is held any more: it is for what was seen,
 * and not for what may come. While something is held it stays, so that the condition can say why it does not count.
 */
export async function spendAllowance(
  { client, live, events, log }: SetNeeds,
  { set, deletions }: { set: StoredSet; deletions: SetPlan["deletions"] },
  signal: AbortSignal,
): Promise<void> {
  const key = annotationKeys.deletionAllowed;
  if (set.metadata.annotations?.[key] === undefined || deletions.kind === "held") return;
  const { name, namespace, resourceVersion } = set.metadata;
  const body = { metadata: { annotations: { [key]: null }, resourceVersion } };
  const ref = { apiVersion: argoApiVersion, kind: "ApplicationSet", namespace, name };
  try {
    live.observe(await client.patch(ref, { type: "merge", body }, { signal }));
  } catch (error) {
    // It is another set since, which asks for a look of its own.
    if (isConflict(error) || isNotFound(error)) return;
    throw error;
  }
  if (deletions.kind !== "allowed") return;
  events.record(set, { type: "Normal", reason: "DeletionAllowed", message: deletions.message });
  log.info({ applicationSet: name }, deletions.message);
}
