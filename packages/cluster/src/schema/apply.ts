import { ApiError, type KubeObject, type ManagedFieldsEntry } from "../types.ts";
import { isKubeObject, sameJson } from "./json.ts";
import { type Atom, atomOf } from "./merge/atom.ts";
import { fieldsOf, typeProblems } from "./merge/collect.ts";
import { type Comparison, compareValues } from "./merge/compare.ts";
import { comparisons, type OtherVersions } from "./merge/comparisons.ts";
import { type Conflict, conflictError } from "./merge/conflicts.ts";
import {
  differenceOf,
  FieldSet,
  intersectionOf,
  isWithin,
  knownOr,
  outsideOf,
  unionOf,
} from "./merge/field-set.ts";
import { lastAppliedFields, syncLastApplied } from "./merge/last-applied.ts";
import {
  capUpdaters,
  decodeManagers,
  decodeSentManagers,
  encodeManagers,
  type Manager,
  type Managers,
  managerKey,
} from "./merge/managers.ts";
import { mergeValues } from "./merge/merge-values.ts";
import { removeFields, withNamedFields } from "./merge/remove.ts";
import { filtered, type OwnershipRules, resetFields } from "./merge/reset-fields.ts";
import { zeroValueOf } from "./merge/zero-value.ts";
import type { ResolvedSchema } from "./resolved-schema.ts";

export interface ApplyInput {
  schema: ResolvedSchema;
  /** Of the kind; not needed for what has no status. */
  rules?: OwnershipRules;
  /** As stored, with its managedFields. Undefined when the apply creates the object. */
  live: KubeObject | undefined;
  /** As sent: neither pruned nor defaulted, since what it leaves out matters. */
  applied: KubeObject;
  manager: string;
  force: boolean;
  subresource?: string;
  time: string;
  versions?: OtherVersions | undefined;
}

/**
 * The merged object with its new managedFields, still to be defaulted, validated and passed through
 * `settleTimes`. Semantics of apimachinery/pkg/util/managedfields and structured-merge-diff.
 */
export function serverSideApply(input: ApplyInput): KubeObject {
  const atom = atomOf(input.schema);
  checkApplied(input, atom);
  const upgraded =
    input.manager === "kubectl" ? lastAppliedFields(atom, withoutManagedFields(input.live)) : undefined;
  const result = merge(input, atom, upgraded);
  if (input.manager === "kubectl") syncLastApplied(result, input.applied);
  return result;
}

function checkApplied({ applied, live }: ApplyInput, atom: Atom): void {
  if (applied.metadata.managedFields != null)
    throw new ApiError(400, "BadRequest", "metadata.managedFields must be nil");
  if (live && live.apiVersion !== applied.apiVersion)
    throw new ApiError(
      400,
      "BadRequest",
      `Incorrect version specified in apply patch. Specified patch version: ${applied.apiVersion}, expected: ${live.apiVersion}`,
    );
  const problems = typeProblems(atom, applied);
  if (problems.length === 0) return;
  const text =
    problems.length === 1 ? problems[0] : ["errors:", ...problems.map((line) => `  ${line}`)].join("\n");
  const { namespace = "", name = "" } = applied.metadata;
  const version = applied.apiVersion.includes("/") ? applied.apiVersion : `/${applied.apiVersion}`;
  const id = `${namespace}/${name}; ${version}, Kind=${applied.kind}`;
  throw new ApiError(500, "", `failed to create typed patch object (${id}): ${text}`);
}

function merge(input: ApplyInput, atom: Atom, mayTake: FieldSet | undefined): KubeObject {
  const { applied, manager, subresource = "", time } = input;
  const live = withoutManagedFields(input.live);
  const managers = decodeManagers(input.live?.metadata.managedFields);
  if (input.live && managers.size === 0) ownBeforeFirstApply(managers, input, atom);
  const self: Manager = {
    manager: manager || "unknown",
    operation: "Apply",
    apiVersion: applied.apiVersion,
    subresource,
    time: undefined,
    fields: outsideOf(fieldsOf(atom, applied), resetFields(input)),
  };
  const key = managerKey(self);
  const last = managers.get(key);
  managers.set(key, { ...self, time: last?.time });
  const base = live ?? { ...zeroValueOf(input.schema), apiVersion: applied.apiVersion, kind: applied.kind };
  let merged = mergeValues(atom, base, applied);
  if (last && !isWithin(last.fields, self.fields))
    merged = pruneDropped(atom, merged, { managers, last: last.fields });
  const compared = compareValues(atom, base, merged);
  const seen = filtered(compared, resetFields(input));
  const seenBy = comparisons(input, { apiVersion: applied.apiVersion, seen, before: base, after: merged });
  takeFrom(managers, key, { seenBy, force: input.force, mayTake });
  const changed = live === undefined || !nothingIn(compared) || !sameJson(live, merged);
  const own = managers.get(key);
  if (own) {
    const fields = differenceOf(own.fields, neverOwned);
    if (fields.isEmpty) managers.delete(key);
    else
      managers.set(key, { ...own, fields: knownOr(fields, last?.fields), time: changed ? time : own.time });
  }
  const object = changed ? merged : live;
  if (!isKubeObject(object)) throw new ApiError(500, "", "the merged object lost its metadata");
  return withManagers(object, managers);
}

/** Fields that were owned by nobody so far become those of one "before-first-apply" update. */
function ownBeforeFirstApply(managers: Managers, input: ApplyInput, atom: Atom): void {
  if (!input.live) return;
  track(managers, atom, {
    ...input,
    manager: "before-first-apply",
    before: undefined,
    after: withoutManagedFields(input.live) ?? input.live,
  });
}

/** Removes what this manager applied last time, does not now, and nobody else owns: merge/update.go prune. */
function pruneDropped(
  atom: Atom,
  merged: unknown,
  { managers, last }: { managers: Managers; last: FieldSet },
): unknown {
  const lastNamed = withNamedFields(atom, last);
  const pruned = removeFields(atom, merged, lastNamed);
  const mergedSet = withNamedFields(atom, fieldsOf(atom, merged));
  const managed = withNamedFields(atom, unionOf(...[...managers.values()].map(({ fields }) => fields)));
  const prunedSet = withNamedFields(atom, fieldsOf(atom, pruned));
  const kept = removeFields(atom, merged, differenceOf(mergedSet, unionOf(prunedSet, managed)));
  const keptSet = withNamedFields(atom, fieldsOf(atom, kept));
  return removeFields(atom, merged, intersectionOf(differenceOf(mergedSet, keptSet), lastNamed));
}

interface Taking {
  /** What of it a manager sees that wrote in this version; undefined where there is none such any more. */
  seenBy: (apiVersion: string) => Comparison | undefined;
  force: boolean;
  /** Fields that may be taken without force: those of kubectl's last client-side apply. */
  mayTake: FieldSet | undefined;
}

/** Takes changed fields from other managers, or says who has them: merge/update.go update. */
function takeFrom(managers: Managers, self: string, { seenBy, force, mayTake }: Taking): void {
  const conflicts: Conflict[] = [];
  const rest = new Map<string, Manager>();
  for (const [key, manager] of managers) {
    if (key === self) continue;
    const seen = seenBy(manager.apiVersion);
    if (seen === undefined) {
      managers.delete(key);
      continue;
    }
    const changed = unionOf(seen.modified, seen.added);
    const taken = intersectionOf(manager.fields, changed);
    if (!force) for (const path of taken.paths()) conflicts.push({ with: manager, path });
    rest.set(key, { ...manager, fields: differenceOf(differenceOf(manager.fields, taken), seen.removed) });
  }
  const refused = conflicts.filter(({ path }) => !mayTake?.has(path));
  if (refused.length) throw conflictError(refused);
  for (const [key, manager] of rest) {
    if (manager.fields.isEmpty) managers.delete(key);
    else managers.set(key, manager);
  }
}

export interface UpdateInput {
  schema: ResolvedSchema;
  /** As with ApplyInput. */
  rules?: OwnershipRules;
  /** As stored, with its managedFields; undefined on create. */
  before: KubeObject | undefined;
  /** Decoded and defaulted. Its managedFields, when given, replace those of `before` (not in subresources). */
  after: KubeObject;
  manager: string;
  subresource?: string;
  time: string;
  /** The status that came with a write which does not take it over. */
  sentStatus?: unknown;
  versions?: OtherVersions | undefined;
}

/** The object of a create, update or patch with its managedFields brought up to date. */
export function trackUpdate(input: UpdateInput): KubeObject {
  const { before, after } = input;
  const given = input.subresource ? undefined : after.metadata.managedFields;
  const reset = given !== undefined && (given.length === 0 || isBlankEntry(given));
  const stored = before?.metadata.managedFields;
  const fromGiven = sameJson(given, stored) ? decodeManagers(stored) : decodeSentManagers(given);
  const managers = reset || fromGiven.size > 0 ? fromGiven : decodeManagers(stored);
  const plain = withoutManagedFields(after) ?? after;
  if (reset) managers.clear();
  if (managers.size === 0 && before) return plain;
  const owned = { ...input, before: withoutManagedFields(before), after: plain };
  // A list without its keys has no owners, and with it the whole object (fieldmanager UpdateNoErrors).
  if (!track(managers, atomOf(input.schema), owned)) return plain;
  capUpdaters(managers);
  return withManagers(plain, managers);
}

/** False where the fields have no names. */
function track(managers: Managers, atom: Atom, input: UpdateInput): boolean {
  const { schema, before, after, subresource = "", time } = input;
  const reset = resetFields(input);
  const base = before ?? { ...zeroValueOf(schema), apiVersion: after.apiVersion, kind: after.kind };
  const sent = "sentStatus" in input ? { ...after, status: input.sentStatus } : after;
  const seen = filtered(compareValues(atom, base, sent), reset);
  if (!seen.isNamed) return false;
  const seenBy = comparisons(input, { apiVersion: after.apiVersion, seen, before: base, after: sent });
  const fields = differenceOf(unionOf(seen.modified, seen.added), neverOwned);
  const self: Manager = {
    manager: input.manager || "unknown",
    operation: "Update",
    apiVersion: after.apiVersion,
    subresource,
    time,
    fields,
  };
  const key = managerKey(self);
  takeFrom(managers, key, { seenBy, force: true, mayTake: undefined });
  const previous = managers.get(key);
  const kept = differenceOf(previous?.fields ?? new FieldSet(), seen.removed);
  if (!fields.isEmpty) managers.set(key, { ...self, fields: unionOf(kept, fields) });
  else if (kept.isEmpty) managers.delete(key);
  else if (previous) managers.set(key, { ...previous, fields: kept });
  return true;
}

/**
 * To be called last, on the defaulted result: returns `before` itself when nothing but the times of managedFields
 * differs, so that no new resourceVersion is written (fieldmanager/equality.go).
 */
export function settleTimes(before: KubeObject | undefined, after: KubeObject): KubeObject {
  if (!before) return after;
  return sameJson(withoutTimes(before), withoutTimes(after)) ? before : after;
}

function withoutTimes(object: KubeObject): unknown {
  const managedFields = object.metadata.managedFields?.map((entry) => ({ ...entry, time: "" }));
  return {
    ...object,
    metadata: { ...object.metadata, managedFields: managedFields ?? null, resourceVersion: "" },
  };
}

/** Kept out of every set: managedfields/internal/stripmeta.go. */
const neverOwned = new FieldSet().insert(["f:apiVersion"]).insert(["f:kind"]).insert(["f:metadata"]);

for (const name of [
  "name",
  "namespace",
  "creationTimestamp",
  "selfLink",
  "uid",
  "clusterName",
  "generation",
  "managedFields",
  "resourceVersion",
])
  neverOwned.insert(["f:metadata", `f:${name}`]);

function nothingIn({ added, modified, removed }: Comparison): boolean {
  return added.isEmpty && modified.isEmpty && removed.isEmpty;
}

function isBlankEntry(entries: readonly ManagedFieldsEntry[]): boolean {
  return entries.length === 1 && Object.keys(entries[0] ?? {}).length === 0;
}

function withoutManagedFields(object: KubeObject | undefined): KubeObject | undefined {
  if (!object) return undefined;
  const { managedFields: _gone, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function withManagers(object: KubeObject, managers: Managers): KubeObject {
  const { managedFields: _old, ...metadata } = object.metadata;
  if (managers.size === 0) return { ...object, metadata };
  return { ...object, metadata: { ...metadata, managedFields: encodeManagers(managers) } };
}
