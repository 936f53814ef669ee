import type { Clock } from "@capstan/flow";
import { deleteObject } from "../objects/delete-object.ts";
import { updateObject } from "../objects/update-object.ts";
import { type AdmissionHook, timestamp, type World } from "../objects/world.ts";
import { hasCondition, readCrdNames, storageVersionOf, storedVersions } from "../registry/crd-resources.ts";
import { crdType, type Registry } from "../registry/registry.ts";
import type { Store } from "../store/store.ts";
import { isRecord, type KubeObject } from "../types.ts";
import { decideNames } from "./crd-names.ts";
import type { LifecycleOptions } from "./garbage-collector.ts";
import { openWorklist } from "./worklist.ts";

/** Held until no object of a definition is left. */
export const customResourceCleanup = "customresourcecleanup.apiextensions.k8s.io";

/** Accepts names and establishes at once what apiextensions' controllers do a moment after the write. */
export function crdHook(store: Pick<Store, "list">, clock: Clock): AdmissionHook {
  return {
    admit(crd, previous) {
      return { ...crd, status: establish(crd, { previous, store, clock }) };
    },
  };
}

interface Establishing {
  previous: KubeObject | undefined;
  store: Pick<Store, "list">;
  clock: Clock;
}

function establish(crd: KubeObject, { previous, store, clock }: Establishing): Record<string, unknown> {
  const wanted = readCrdNames(crd);
  const status = isRecord(previous?.status) ? previous.status : {};
  const before = isRecord(status.acceptedNames) ? status.acceptedNames : {};
  const others = store
    .list(crdType)
    .map(({ object }) => object)
    .filter(
      (other) => readCrdNames(other).group === wanted.group && other.metadata.name !== crd.metadata.name,
    );
  const { accepted: acceptedNames, conflict } = decideNames(wanted, before, others);
  const conditions = [
    condition(crd, conflict === undefined ? accepted : { ...refused, ...conflict }),
    condition(crd, conflict === undefined ? established : notEstablished),
  ].map((next) => keepTime(next, { previous: previous ?? crd, clock }));
  const { conditions: written } = previous !== undefined && isRecord(crd.status) ? crd.status : status;
  const kept = Array.isArray(written) ? written.filter(isOther) : [];
  const storedNow = storageVersionOf(crd);
  const sent = previous === undefined ? [] : storedVersions(crd);
  return {
    ...status,
    conditions: [...conditions, ...kept],
    acceptedNames,
    storedVersions: union(
      sent.length > 0 ? sent : storedVersions(previous ?? crd),
      storedNow === "" ? [] : [storedNow],
    ),
  };
}

type Condition = Record<"type" | "status" | "reason" | "message", string>;

const accepted = {
  type: "NamesAccepted",
  status: "True",
  reason: "NoConflicts",
  message: "no conflicts found",
};
const refused = { type: "NamesAccepted", status: "False" };
const established = {
  type: "Established",
  status: "True",
  reason: "InitialNamesAccepted",
  message: "the initial names have been accepted",
};
const notEstablished = {
  type: "Established",
  status: "False",
  reason: "NotAccepted",
  message: "not all names are accepted",
};

/** An established CRD stays so, whatever happens to names afterwards. */
function condition(crd: KubeObject, next: Condition): Condition {
  return next.type === "Established" && hasCondition(crd, "Established") ? established : next;
}

function keepTime(
  next: Condition,
  { previous, clock }: { previous: KubeObject; clock: Clock },
): Record<string, unknown> {
  const conditions = isRecord(previous.status) ? previous.status.conditions : undefined;
  const before = Array.isArray(conditions)
    ? conditions.filter(isRecord).find(({ type }) => type === next.type)
    : undefined;
  const lastTransitionTime = before?.status === next.status ? before.lastTransitionTime : timestamp(clock);
  return { lastTransitionTime, ...next };
}

function isOther(item: unknown): boolean {
  return isRecord(item) && item.type !== "NamesAccepted" && item.type !== "Established";
}

function union(left: readonly string[], right: readonly string[]): string[] {
  return [...new Set([...left, ...right])];
}

/** Keeps what is served in step with the CRDs, and ends the objects of a CRD that is being deleted. Keys are names. */
export function startCustomResources({ world, signal, log }: LifecycleOptions): void {
  const { store, registry, clock } = world;
  const worklist = openWorklist({
    work: (name) => {
      endCustomResources(world, name);
      reconsiderNames(world, name);
    },
    failed: (name, error) =>
      log({ level: "warn", message: `custom resources of ${name} could not be ended`, error: String(error) }),
    clock,
    signal,
  });
  for (const { name } of store.list(crdType)) worklist.add(name);
  const end = store.subscribe("*", ({ kind, entry }) => {
    if (entry.type === crdType) {
      if (kind === "DELETED") {
        registry.remove(entry.name);
        for (const name of waitingForNames(registry)) worklist.add(name);
      } else {
        registry.put(entry.object);
        worklist.add(entry.name);
      }
    } else if (
      kind === "DELETED" &&
      registry.byType(entry.type)?.crd?.metadata.deletionTimestamp !== undefined
    )
      worklist.add(registry.byType(entry.type)?.crd?.metadata.name ?? "");
  });
  signal.addEventListener("abort", end, { once: true });
}

/** Definitions that want names which another one had. */
function waitingForNames(registry: Registry): string[] {
  return registry
    .crds()
    .filter((crd) => !hasCondition(crd, "NamesAccepted"))
    .map(({ metadata }) => metadata.name ?? "");
}

function reconsiderNames(world: World, name: string): void {
  const live = world.store.get(crdType, "", name);
  const served = world.registry.byType(crdType);
  if (live === undefined || served === undefined || hasCondition(live.object, "NamesAccepted")) return;
  const options = { dryRun: false, manager: "kube-apiserver", subresource: "status" };
  updateObject(world, { served, live, object: live.object }, options);
}

function endCustomResources(world: World, name: string): void {
  const live = world.store.get(crdType, "", name);
  const crds = world.registry.byType(crdType);
  if (live === undefined || crds === undefined || live.object.metadata.deletionTimestamp === undefined)
    return;
  const { group, plural } = readCrdNames(live.object);
  const type = `${group}/${plural}`;
  const served = world.registry.byType(type);
  for (const entry of world.store.list(type))
    if (served !== undefined && entry.object.metadata.deletionTimestamp === undefined)
      deleteObject(world, { served, live: entry }, { dryRun: false });
  if (world.store.count(type) > 0) return;
  const { finalizers = [], ...metadata } = live.object.metadata;
  const left = finalizers.filter((finalizer) => finalizer !== customResourceCleanup);
  const object = { ...live.object, metadata: { ...metadata, ...(left.length > 0 && { finalizers: left }) } };
  const options = { dryRun: false, manager: "capstan-crd-controller", subresource: "" };
  updateObject(world, { served: crds, live, object }, options);
}
