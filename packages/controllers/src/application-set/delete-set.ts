import { deletesInReverse, nextDeletion } from "@capstan/engine";
import { parseTime } from "@capstan/formats";
import { argoApiVersion, finalizers, keyOf } from "@capstan/model";
import { isRollingSet, setPolicyOf } from "@capstan/planning";
import type { SetNeeds, StoredApplication, StoredSet } from "./set-needs.ts";

/** A look at one that is going, though nothing happens (PerformReverseDeletion requeues after as long). */
const deletionLookMs = 10_000;
/** After this long it is said that one does not go (staleCacheThreshold). */
const slowDeletionMs = 120_000;

/** A set whose Applications are to go in order is not gone before they are: it needs the finalizer beforehand. */
export async function holdForOrder(needs: SetNeeds, set: StoredSet, signal: AbortSignal): Promise<StoredSet> {
  const { client, live, settings } = needs;
  const { name, namespace, resourceVersion, finalizers: held = [] } = set.metadata;
  const isHeld = held.includes(finalizers.resources);
  if (isHeld || !isRollingSet(settings.current, set) || !deletesInReverse(set)) return set;
  const ref = { apiVersion: argoApiVersion, kind: "ApplicationSet", namespace, name };
  const body = { metadata: { finalizers: [...held, finalizers.resources], resourceVersion } };
  const written = await client.patch(ref, { type: "merge", body }, { signal });
  live.observe(written);
  return { ...set, metadata: { ...set.metadata, ...written.metadata } };
}

/**
 * A set that is being deleted: Kubernetes deletes what it owns. Where its policy lets it delete nothing, its
 * Applications are let go, whatever it is that the set still waits for (applicationset_controller.go
 * removeOwnerReferencesOnDeleteAppSet), and where it goes in the reverse order of its steps, they go before it. Only our
 * finalizer makes it wait for that: without any the set is gone at once, and they with it. Resolves to when to look
 * again; undefined: it is done.
 */
export async function deleteSet(
  needs: SetNeeds,
  { set, owned }: { set: StoredSet; owned: readonly StoredApplication[] },
  signal: AbortSignal,
): Promise<number | undefined> {
  const held = set.metadata.finalizers ?? [];
  const { mayDelete } = setPolicyOf(needs.settings.current, set);
  if (!mayDelete) for (const app of owned) await letGo(needs, { set, app }, signal);
  if (!held.includes(finalizers.resources)) return undefined;
  const next = mayDelete && deletesInReverse(set) ? nextDeletion(set, owned) : undefined;
  if (next) return deleteNext(needs, { set, app: next }, signal);
  const { name, namespace, resourceVersion } = set.metadata;
  const body = {
    metadata: { finalizers: held.filter((one) => one !== finalizers.resources), resourceVersion },
  };
  await needs.client.patch(
    { apiVersion: argoApiVersion, kind: "ApplicationSet", namespace, name },
    { type: "merge", body },
    { signal },
  );
  return undefined;
}

interface Part {
  readonly set: StoredSet;
  readonly app: StoredApplication;
}

async function letGo({ client, live }: SetNeeds, { set, app }: Part, signal: AbortSignal): Promise<void> {
  const { name, namespace, resourceVersion, ownerReferences = [] } = app.metadata;
  const left = ownerReferences.filter(({ uid }) => uid !== set.metadata.uid);
  const ref = { apiVersion: argoApiVersion, kind: "Application", namespace, name };
  const body = { metadata: { ownerReferences: left, resourceVersion } };
  live.observe(await client.patch(ref, { type: "merge", body }, { signal }));
}

async function deleteNext(
  { client, live, clock, log, events }: SetNeeds,
  { set, app }: Part,
  signal: AbortSignal,
): Promise<number> {
  const { name, namespace, uid, deletionTimestamp } = app.metadata;
  const told = { applicationSet: set.metadata.name, application: name };
  if (deletionTimestamp) {
    const goingMs = clock.now() - (parseTime(deletionTimestamp) ?? clock.now());
    const problem = `Application "${name}" has not been deleted in over 2 minutes; those of the steps before wait for it`;
    if (goingMs > slowDeletionMs) {
      log.warn(told, problem);
      events.record(set, { type: "Warning", reason: "DeleteApplicationError", message: problem });
    }
    return deletionLookMs;
  }
  const ref = { apiVersion: argoApiVersion, kind: "Application", namespace, name };
  const left = await client.delete(ref, { signal, ...(uid ? { uid } : {}) });
  if (left) live.observe(left);
  else live.forget(keyOf(app), uid ?? "");
  events.record(set, { type: "Normal", reason: "Deleted", message: `Deleted Application "${name}"` });
  log.info(told, "deleted an Application of a set that goes in reverse order");
  return left ? deletionLookMs : 0;
}
