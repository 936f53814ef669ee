import { deleteObject, type Propagation } from "../objects/delete-object.ts";
import { updateObject } from "../objects/update-object.ts";
import type { World } from "../objects/world.ts";
import type { Entry } from "../store/entry.ts";
import type { ObjectMeta, OwnerReference } from "../types.ts";
import { openWorklist, type Worklist } from "./worklist.ts";

export interface LifecycleOptions {
  world: World;
  signal: AbortSignal;
  log: (entry: { level: "warn"; message: string; error: string }) => void;
}

const options = { dryRun: false, manager: "capstan-garbage-collector", subresource: "" };

/**
 * Ends what nobody owns any more, as kube-controller-manager's garbage collector does: background, foreground and
 * orphan deletion (pkg/controller/garbagecollector attemptToDeleteItem). Keys are uids.
 */
export function startGarbageCollector({ world, signal, log }: LifecycleOptions): void {
  const { store, clock } = world;
  const worklist = openWorklist({
    work: (uid) => collect(world, worklist, uid),
    failed: (uid, error) =>
      log({ level: "warn", message: `garbage collection of ${uid} failed`, error: String(error) }),
    clock,
    signal,
  });
  for (const type of store.types())
    for (const entry of store.list(type)) if (isSuspect(world, entry)) worklist.add(entry.uid);
  const end = store.subscribe("*", ({ kind, entry }) => {
    if (kind !== "DELETED") {
      if (isSuspect(world, entry)) worklist.add(entry.uid);
      return;
    }
    for (const dependent of store.ownedBy(entry.uid)) worklist.add(dependent.uid);
    for (const uid of entry.owners) if (store.byUid(uid)?.isLeaving) worklist.add(uid);
  });
  signal.addEventListener("abort", end, { once: true });
}

/** Told from the text and the index alone, because most changes concern nothing that is to be collected. */
function isSuspect({ store }: World, entry: Entry): boolean {
  return entry.isLeaving || entry.owners.some((uid) => store.byUid(uid)?.isLeaving ?? true);
}

function collect(world: World, worklist: Worklist, uid: string): void {
  const entry = world.store.byUid(uid);
  if (entry === undefined) return;
  const { deletionTimestamp, finalizers = [] } = entry.object.metadata;
  if (deletionTimestamp === undefined) collectDependent(world, worklist, entry);
  else if (finalizers.includes("orphan")) orphanDependents(world, entry);
  else if (finalizers.includes("foregroundDeletion")) endDependents(world, worklist, entry);
}

function collectDependent(world: World, worklist: Worklist, entry: Entry): void {
  const references = entry.object.metadata.ownerReferences ?? [];
  if (references.length === 0) return;
  const states = references.map((reference) => ownerState(world, entry, reference));
  if (states.includes("solid")) {
    const kept = references.filter((_reference, index) => states[index] === "solid");
    if (kept.length < references.length) rewrite(world, entry, { ownerReferences: kept });
    return;
  }
  const dependents = world.store.ownedBy(entry.uid);
  if (!states.includes("waiting") || dependents.length === 0) {
    remove(world, entry, ownPropagation(entry.object.metadata));
    return;
  }
  if (dependents.some(({ object }) => awaitsDependents(object.metadata)))
    unblockOwners(world, worklist, entry);
  remove(world, world.store.byUid(entry.uid) ?? entry, "Foreground");
}

/** A circle of objects that wait for one another is opened here (unblockOwnerReferencesStrategicMergePatch). */
function unblockOwners(world: World, worklist: Worklist, entry: Entry): void {
  const { ownerReferences = [] } = entry.object.metadata;
  const unblocked = ownerReferences.map((reference) => ({ ...reference, blockOwnerDeletion: false }));
  rewrite(world, entry, { ownerReferences: unblocked });
  for (const { uid } of ownerReferences) worklist.add(uid);
}

function awaitsDependents({ deletionTimestamp, finalizers = [] }: ObjectMeta): boolean {
  return deletionTimestamp !== undefined && finalizers.includes("foregroundDeletion");
}

function ownPropagation({ finalizers = [] }: ObjectMeta): Propagation {
  if (finalizers.includes("orphan")) return "Orphan";
  return finalizers.includes("foregroundDeletion") ? "Foreground" : "Background";
}

type OwnerState = "solid" | "absent" | "waiting";

/** An owner is absent when its uid is unknown, or lives where this object cannot be owned from. */
function ownerState({ store, registry }: World, entry: Entry, reference: OwnerReference): OwnerState {
  const owner = store.byUid(reference.uid);
  if (owner === undefined || owner.name !== reference.name) return "absent";
  if (owner.namespace !== "" && owner.namespace !== entry.namespace) return "absent";
  const named = registry.byKind(reference.apiVersion, reference.kind);
  if (named !== undefined && named.type !== owner.type) return "absent";
  return awaitsDependents(owner.object.metadata) ? "waiting" : "solid";
}

function endDependents(world: World, worklist: Worklist, owner: Entry): void {
  const dependents = world.store.ownedBy(owner.uid);
  const blocking = dependents.filter(({ object }) =>
    object.metadata.ownerReferences?.some(
      ({ uid, blockOwnerDeletion }) => uid === owner.uid && blockOwnerDeletion,
    ),
  );
  for (const dependent of dependents) worklist.add(dependent.uid);
  if (blocking.length === 0) withoutFinalizer(world, owner, "foregroundDeletion");
}

function orphanDependents(world: World, owner: Entry): void {
  for (const dependent of world.store.ownedBy(owner.uid)) {
    const references = dependent.object.metadata.ownerReferences ?? [];
    rewrite(world, dependent, { ownerReferences: references.filter(({ uid }) => uid !== owner.uid) });
  }
  withoutFinalizer(world, owner, "orphan");
}

function withoutFinalizer(world: World, entry: Entry, name: string): void {
  const { finalizers = [] } = entry.object.metadata;
  rewrite(world, entry, { finalizers: finalizers.filter((finalizer) => finalizer !== name) });
}

function rewrite(world: World, entry: Entry, change: Partial<ObjectMeta>): void {
  const served = world.registry.byType(entry.type);
  if (served === undefined) return;
  const { ownerReferences, finalizers, ...rest } = { ...entry.object.metadata, ...change };
  const metadata = {
    ...rest,
    ...(ownerReferences?.length && { ownerReferences }),
    ...(finalizers?.length && { finalizers }),
  };
  updateObject(world, { served, live: entry, object: { ...entry.object, metadata } }, options);
}

function remove(world: World, entry: Entry, propagation: Propagation): void {
  const served = world.registry.byType(entry.type);
  if (served !== undefined) deleteObject(world, { served, live: entry }, { dryRun: false, propagation });
}
