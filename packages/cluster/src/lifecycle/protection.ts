import { updateObject } from "../objects/update-object.ts";
import type { World } from "../objects/world.ts";
import type { Entry } from "../store/entry.ts";
import { isRecord } from "../types.ts";
import type { LifecycleOptions } from "./garbage-collector.ts";
import { openWorklist } from "./worklist.ts";

const options = { dryRun: false, manager: "capstan-protection", subresource: "" };

/** Lets go of deleted claims, volumes and classes that nobody uses (pkg/controller/volume/*protection). */
export function startProtection({ world, signal, log }: LifecycleOptions): void {
  const { store, clock } = world;
  const worklist = openWorklist({
    work: (uid) => release(world, uid),
    failed: (uid, error) =>
      log({ level: "warn", message: `protection of ${uid} could not end`, error: String(error) }),
    clock,
    signal,
  });
  const look = (entry: Entry): void => {
    if (entry.isLeaving) worklist.add(entry.uid);
  };
  const types = world.registry.all().filter(({ rules }) => rules.protection !== undefined);
  const ends = types.map(({ type }) => {
    for (const entry of store.list(type)) look(entry);
    return store.subscribe(type, ({ kind, entry }) => {
      if (kind !== "DELETED") look(entry);
      // A volume is free once its claim has gone.
      if (kind === "DELETED" && type === "/persistentvolumeclaims")
        for (const volume of store.list("/persistentvolumes")) look(volume);
    });
  });
  ends.push(
    store.subscribe("/pods", ({ entry }) => {
      if (!entry.text.includes('"claimName":')) return;
      for (const claim of store.list("/persistentvolumeclaims", entry.namespace)) look(claim);
    }),
  );
  for (const end of ends) signal.addEventListener("abort", end, { once: true });
}

function release(world: World, uid: string): void {
  const live = world.store.byUid(uid);
  if (live === undefined) return;
  const served = world.registry.byType(live.type);
  const finalizer = served?.rules.protection;
  const { metadata } = live.object;
  if (served === undefined || metadata.deletionTimestamp === undefined) return;
  if (!metadata.finalizers?.includes(finalizer ?? "") || isUsed(world, live)) return;
  const finalizers = metadata.finalizers.filter((one) => one !== finalizer);
  const object = { ...live.object, metadata: { ...metadata, finalizers } };
  updateObject(world, { served, live, object }, options);
}

function isUsed({ store }: World, live: Entry): boolean {
  if (live.type === "/persistentvolumes") {
    const { status } = live.object;
    return isRecord(status) && status.phase === "Bound";
  }
  if (live.type !== "/persistentvolumeclaims") return false;
  const names = `"claimName":${JSON.stringify(live.name)}`;
  return store.list("/pods", live.namespace).some((pod) => pod.text.includes(names) && !hasEnded(pod));
}

function hasEnded({ object: { status } }: Entry): boolean {
  return isRecord(status) && (status.phase === "Succeeded" || status.phase === "Failed");
}
