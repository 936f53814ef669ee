import { customResourceCleanup, deleteObject } from "../objects/delete-object.ts";
import { updateObject } from "../objects/update-object.ts";
import { type AdmissionHook, timestamp, type World } from "../objects/world.ts";
import { hasCondition, readCrdNames, storageVersionOf, storedVersions } from "../registry/crd-resources.ts";
import { crdType, type Registry } from "../registry/registry.ts";
import { crdProblems } from "../schema/catalog.ts";
import { type Clock, isRecord, type KubeObject } from "../types.ts";
import type { LifecycleOptions } from "./garbage-collector.ts";
import { Worklist } from "./worklist.ts";

/** Accepts names and establishes at once what apiextensions' controllers do a moment after the write. */
export function crdHook(registry: () => Registry, clock: Clock): AdmissionHook {
  return {
    type: crdType,
    problems: (crd) => crdProblems(crd),
    admit(crd, previous) {
      return { ...crd, status: establish(crd, { previous, registry: registry(), clock }) };
    },
  };
}

interface Establishing {
  previous: KubeObject | undefined;
  registry: Registry;
  clock: Clock;
}

function establish(crd: KubeObject, { previous, registry, clock }: Establishing): Record<string, unknown> {
  const { group: _group, ...names } = readCrdNames(crd);
  const taken = takenName(crd, registry);
  const status = isRecord(previous?.status) ? previous.status : {};
  const conditions = [
    condition(crd, taken === undefined ? accepted : { ...refused, message: `${taken} is already in use` }),
    condition(crd, taken === undefined ? established : notEstablished),
  ].map((next) => keepTime(next, { previous: previous ?? crd, clock }));
  const others = Array.isArray(status.conditions) ? status.conditions.filter(isOther) : [];
  const storedNow = storageVersionOf(crd);
  const sent = previous === undefined ? [] : storedVersions(crd);
  return {
    ...status,
    conditions: [...conditions, ...others],
    acceptedNames: taken === undefined ? acceptedNames(names) : { kind: "", plural: "" },
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
const refused = { type: "NamesAccepted", status: "False", reason: "Conflicts" };
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

function acceptedNames({
  shortNames,
  categories,
  ...names
}: Omit<ReturnType<typeof readCrdNames>, "group">): Record<string, unknown> {
  return {
    ...names,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
  };
}

/** The first of a CRD's names that another one of its group holds. */
function takenName(crd: KubeObject, registry: Registry): string | undefined {
  const own = readCrdNames(crd);
  const words = (names: typeof own) => [names.plural, names.singular, ...names.shortNames];
  for (const other of registry.crds()) {
    const names = readCrdNames(other);
    if (names.group !== own.group || other.metadata.name === crd.metadata.name) continue;
    if (names.kind === own.kind) return JSON.stringify(own.kind);
    if (names.listKind === own.listKind) return JSON.stringify(own.listKind);
    const word = words(own).find((candidate) => words(names).includes(candidate));
    if (word !== undefined) return JSON.stringify(word);
  }
  return undefined;
}

function union(left: readonly string[], right: readonly string[]): string[] {
  return [...new Set([...left, ...right])];
}

/** Keeps what is served in step with the CRDs, and ends the objects of a CRD that is being deleted. Keys are names. */
export function startCustomResources({ world, signal, log }: LifecycleOptions): void {
  const { store, registry, clock } = world;
  const worklist = new Worklist({
    work: (name) => endCustomResources(world, name),
    failed: (name, error) => {
      log({ level: "warn", message: `custom resources of ${name} could not be ended`, error: String(error) });
      worklist.addLater(name);
    },
    clock,
    signal,
  });
  for (const { name } of store.list(crdType)) worklist.add(name);
  const end = store.subscribe("*", ({ kind, entry }) => {
    if (entry.type === crdType) {
      if (kind === "DELETED") registry.remove(entry.name);
      else {
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
