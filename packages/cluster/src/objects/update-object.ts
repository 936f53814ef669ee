import { asWritten, fromStored, otherVersions, toStored } from "../registry/convert.ts";
import { hasSubresource, type Served } from "../registry/served.ts";
import { settleTimes, trackUpdate } from "../schema/apply.ts";
import { sameJson } from "../schema/json.ts";
import { metadataPasses } from "../schema/validation/metadata.ts";
import type { Entry } from "../store/entry.ts";
import type { FieldError, KubeObject, ObjectMeta } from "../types.ts";
import { conflict, invalid, requireVersion } from "./failures.ts";
import { sentStatus, settle } from "./prepare.ts";
import { timestamp, type World, type WriteOptions, type Written } from "./world.ts";

export interface Update {
  served: Served;
  live: Entry;
  /** The whole new state, in the version of `served`. */
  object: KubeObject;
  /** Set where the fields' owners are known already, as after a server-side apply. */
  tracked?: boolean;
}

/** Writes through these leave the generation as it is. */
const uncounted: readonly string[] = ["status", "binding"];

export function updateObject(world: World, asked: Update, options: WriteOptions): Written {
  const { served, live } = asked;
  const update = { ...asked, object: inServed(served, asked.object) };
  const previous = fromStored(served, live.object);
  const name = live.name;
  requireSameObject(update, previous);
  const restored = restore(served, update.object, { previous, subresource: options.subresource });
  const draft = { ...restored, metadata: keptMetadata(previous.metadata, restored.metadata, update.tracked) };
  const problems = finalizerProblems(served, previous.metadata, draft.metadata);
  if (problems.length > 0) throw invalid(served.info, name, problems);
  const { manager, subresource } = options;
  const settled = settle(world, {
    served,
    object: draft,
    previous,
    options,
    track: (after) =>
      update.tracked
        ? after
        : trackUpdate({
            schema: served.schema(),
            rules: served.rules,
            before: previous,
            after,
            manager,
            time: timestamp(world.clock),
            versions: otherVersions(served),
            ...sentStatus(served, update.object, subresource),
            ...(subresource && { subresource }),
          }),
  });
  const counts = served.rules.generation !== undefined && !uncounted.includes(subresource);
  const counted = counts ? countGeneration(served, settled, previous) : settled;
  const next = settleTimes(previous, counted);
  if (next === previous) return { object: previous, entry: live, created: false };
  if (options.dryRun) return { object: asWritten(served, next), entry: undefined, created: false };
  return store(world, { served, live, object: next });
}

/** The cluster itself changes objects as they are stored, which may be in an older version. */
function inServed(served: Served, object: KubeObject): KubeObject {
  return served.conversion === undefined ? object : fromStored(served, object);
}

/** An object that waits for its last finalizer goes with it. */
function store(world: World, { served, live, object }: Update): Written {
  const stored = toStored(served, object);
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds = 0 } = object.metadata;
  const gone = deletionTimestamp !== undefined && finalizers.length === 0 && deletionGracePeriodSeconds === 0;
  const held = served.rules.deletion?.isHeld?.(stored) ?? false;
  if (gone && !held) {
    world.store.remove(live, stored);
    // The writer is told of the version that was, watchers of the one in which it went.
    return { object: withVersion(object, live), entry: undefined, created: false };
  }
  const entry = world.store.put(served.type, stored, live);
  return { object: entry.object, entry, created: false };
}

function withVersion(object: KubeObject, { revision }: Entry): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}

function requireSameObject({ served, object, live }: Update, previous: KubeObject): void {
  const { name } = live;
  const { uid, resourceVersion } = object.metadata;
  requireVersion(object.metadata);
  if (uid && uid !== previous.metadata.uid)
    throw conflict(
      served.info,
      name,
      `StorageError: invalid object, Code: 4, Key: ${storageKey(served)}/${live.namespace && `${live.namespace}/`}${name}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${previous.metadata.uid}`,
    );
  if (resourceVersion && resourceVersion !== "0") {
    if (resourceVersion !== previous.metadata.resourceVersion) throw conflict(served.info, name);
  } else if (served.rules.versionedUpdates && object.metadata !== previous.metadata)
    throw invalid({ group: served.info.group, kind: served.info.resource }, name, [
      {
        reason: "FieldValueInvalid",
        field: "metadata.resourceVersion",
        message: "Invalid value: 0: must be specified for an update",
      },
    ]);
}

/** Where kube-apiserver would keep the kind in etcd: its refusal of another uid tells. */
function storageKey({ type, info, crd, rules }: Served): string {
  return `/registry/${rules.storageKey ?? (crd === undefined ? info.resource : type)}`;
}

interface RestoreInput {
  previous: KubeObject;
  subresource: string;
}

/** Each endpoint writes its own half: the object all but status, /status nothing but status. */
function restore(served: Served, object: KubeObject, { previous, subresource }: RestoreInput): KubeObject {
  if (subresource === "status") {
    const { keptByStatus: kept = ["ownerReferences"] } = served.rules;
    const { managedFields } = object.metadata;
    const metadata =
      kept === "metadata"
        ? { ...previous.metadata, ...(managedFields && { managedFields }) }
        : { ...omit(object.metadata, kept), ...pick(previous.metadata, kept) };
    const { status: _status, ...rest } = previous;
    return {
      ...rest,
      apiVersion: previous.apiVersion,
      kind: previous.kind,
      metadata,
      ...("status" in object && { status: object.status }),
    };
  }
  if (!hasSubresource(served, "status") || subresource !== "") return object;
  const { status: _status, ...rest } = object;
  return {
    ...rest,
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: object.metadata,
    ...("status" in previous && { status: previous.status }),
  };
}

function pick(metadata: ObjectMeta, fields: readonly string[]): Partial<ObjectMeta> {
  return Object.fromEntries(
    fields.filter((field) => field in metadata).map((field) => [field, metadata[field]]),
  );
}

function omit(metadata: ObjectMeta, fields: readonly string[]): ObjectMeta {
  return Object.fromEntries(Object.entries(metadata).filter(([field]) => !fields.includes(field)));
}

/** What the server alone decides. */
function keptMetadata(previous: ObjectMeta, next: ObjectMeta, tracked = false): ObjectMeta {
  const { creationTimestamp: _created, generation: _generation, selfLink: _link, ...rest } = next;
  // A client's own are refused where they change something (rest.BeforeUpdate).
  const { deletionGracePeriodSeconds = previous.deletionGracePeriodSeconds } = next;
  const fixed = pick(previous, [
    "name",
    "namespace",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
  ]);
  return {
    ...fixed,
    ...rest,
    ...fixed,
    ...(deletionGracePeriodSeconds !== undefined && { deletionGracePeriodSeconds }),
    ...(!tracked &&
      next.managedFields === undefined &&
      previous.managedFields && { managedFields: previous.managedFields }),
  };
}

/** validation.ValidateObjectMetaUpdate */
function finalizerProblems({ rules }: Served, previous: ObjectMeta, next: ObjectMeta): FieldError[] {
  if (previous.deletionTimestamp === undefined) return [];
  const added = (next.finalizers ?? []).filter((finalizer) => !previous.finalizers?.includes(finalizer));
  if (added.length === 0) return [];
  const list = added.map((finalizer) => `"${finalizer}"`).join(", ");
  const problem = {
    reason: "FieldValueForbidden",
    field: "metadata.finalizers",
    message: `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
  };
  return Array.from({ length: metadataPasses(rules).update }, () => problem);
}

function countGeneration(served: Served, next: KubeObject, previous: KubeObject): KubeObject {
  if (sameJson(countedPart(served, next), countedPart(served, previous))) return next;
  const generation = (previous.metadata.generation ?? 0) + 1;
  return { ...next, metadata: { ...next.metadata, generation } };
}

/** Custom resources count every change outside metadata (and status, where that is a subresource). */
function countedPart(served: Served, object: KubeObject): unknown {
  if (served.crd === undefined || hasSubresource(served, "status")) return served.rules.generation?.(object);
  return { ...object, metadata: undefined };
}
