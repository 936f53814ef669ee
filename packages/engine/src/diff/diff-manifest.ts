import { isRecord, KeyIndex, parseBoundedJson } from "@capstan/formats";
import { annotationKeys, groupOf, type Manifest } from "@capstan/model";
import { compareValues, type Findings } from "./compare-values.ts";
import type { DiffResult, DiffRules } from "./diff-rules.ts";
import { type FieldSet, type KeyedItem, LazyFieldSet, ownManagers, readFieldSet } from "./field-set.ts";
import { keyNames } from "./keyed-items.ts";
import { ignoredManagers, normalize } from "./normalize.ts";

/**
 * Compares what git says with what is there, without the server: every desired value must be there, and what we
 * own (managedFields, else the last applied configuration) must still be desired.
 */
export function diffManifest(target: Manifest, live: Manifest, rules: DiffRules): DiffResult {
  const desired = normalize(target, rules);
  const actual = normalize(live, rules);
  const findings: Findings = { modified: [], doubts: [] };
  const ours = rules.managers ?? ownManagers;
  const owned = ownedFields(live, ours, rules);
  const walk = {
    findings,
    isBuiltIn: isTyped(target),
    knownTypes: knownTypesOf(target, rules),
    ours,
    ignored: ignoredManagers(target, rules),
  };
  if (target.apiVersion !== live.apiVersion) {
    // Fields may be called differently in another version of a kind.
    findings.doubts.push({ path: "apiVersion", desired: target.apiVersion, live: live.apiVersion });
  }
  const { apiVersion: _desiredVersion, ...wantedFields } = desired;
  const { apiVersion: _liveVersion, ...liveFields } = actual;
  compareValues(walk, {
    desired: wantedFields,
    live: withoutLastApplied(liveFields),
    owned,
    path: [],
  });
  return summarize(findings);
}

function summarize({ modified, doubts }: Findings): DiffResult {
  if (modified.length > 0) return { verdict: "modified", fields: [...modified, ...doubts] };
  return { verdict: doubts.length > 0 ? "doubt" : "same", fields: doubts };
}

function knownTypesOf({ apiVersion, kind }: Manifest, { knownTypeFields = [] }: DiffRules) {
  if (knownTypeFields.length === 0) return knownTypeFields;
  const group = groupOf(apiVersion);
  return knownTypeFields.filter((one) => one.kind === kind && one.group === group);
}

/** Kinds that are Go structs to those who write them; a Rollout is one by its pod template (util/argo/normalizers). */
function isTyped({ apiVersion, kind }: Manifest): boolean {
  const group = groupOf(apiVersion);
  return builtInGroups.has(group) || (group === "argoproj.io" && kind === "Rollout");
}

/** Groups whose kinds the API server itself knows. */
const builtInGroups = new Set([
  "",
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "apiregistration.k8s.io",
  "apps",
  "autoscaling",
  "batch",
  "certificates.k8s.io",
  "coordination.k8s.io",
  "discovery.k8s.io",
  "events.k8s.io",
  "flowcontrol.apiserver.k8s.io",
  "networking.k8s.io",
  "node.k8s.io",
  "policy",
  "rbac.authorization.k8s.io",
  "resource.k8s.io",
  "scheduling.k8s.io",
  "storage.k8s.io",
]);

function withoutLastApplied(live: { [field: string]: unknown }): { [field: string]: unknown } {
  const metadata = live.metadata;
  if (!isRecord(metadata) || !isRecord(metadata.annotations)) return live;
  const { [annotationKeys.lastApplied]: _applied, ...annotations } = metadata.annotations;
  return { ...live, metadata: { ...metadata, annotations } };
}

/**
 * Who owns which field. An object that was last written by a client-side apply tells in an annotation what that
 * apply wanted; its fields are ours, as they are for Argo CD's three-way comparison.
 */
function ownedFields(live: Manifest, ours: ReadonlySet<string>, rules: DiffRules): FieldSet | undefined {
  const text = live.metadata.annotations?.[annotationKeys.lastApplied];
  const applied = text === undefined || hasApplied(live, ours) ? undefined : readApplied(text, live);
  if (applied === undefined) return readFieldSet(live);
  const [owner = ""] = ours;
  const us = new Set([owner]);
  // What came along when we wrote (by a webhook, a default) is under our name too, but nothing that we apply.
  const declared = readFieldSet(live, ({ manager }) =>
    manager !== undefined && ours.has(manager) ? `${manager}, not applied` : manager,
  );
  return overlay(declared, normalize(applied, rules), us);
}

function hasApplied(live: Manifest, ours: ReadonlySet<string>): boolean {
  return (live.metadata.managedFields ?? []).some(
    ({ manager, operation }) => operation === "Apply" && manager !== undefined && ours.has(manager),
  );
}

function readApplied(text: string, live: Manifest): Manifest | undefined {
  let value: unknown;
  try {
    value = parseBoundedJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined; // anyone may write this annotation
    throw error;
  }
  if (!isRecord(value)) return undefined;
  const metadata = isRecord(value.metadata) ? value.metadata : {};
  return { ...value, apiVersion: live.apiVersion, kind: live.kind, metadata };
}

/** The declared sets, with us as the owner of every field that the applied configuration has. */
function overlay(declared: FieldSet | undefined, applied: unknown, us: ReadonlySet<string>): FieldSet {
  return new LazyFieldSet(() => overlayLevel(declared ?? nothingDeclared, applied, us));
}

function overlayLevel(declared: FieldSet, applied: unknown, us: ReadonlySet<string>): FieldSet {
  const { owners, members } = declared;
  if (isRecord(applied)) {
    const fields = new Map(declared.fields);
    for (const [name, value] of Object.entries(applied))
      fields.set(name, overlay(declared.fields.get(name), value, us));
    return { owners, fields, items: declared.items, members };
  }
  if (!Array.isArray(applied)) return { owners: us, fields: declared.fields, items: declared.items, members };
  const applications = appliedItems(declared, applied);
  const items = declared.items.map((item) => {
    const wanted = applications.get(item);
    return wanted === undefined ? item : { key: item.key, set: overlay(item.set, wanted, us) };
  });
  return { owners, fields: declared.fields, items, members };
}

const nothingDeclared: FieldSet = { owners: new Set(), fields: new Map(), items: [], members: [] };

/** Of each declared item the first that was applied under its key, of which some fields may be left out. */
function appliedItems(declared: FieldSet, applied: readonly unknown[]): ReadonlyMap<KeyedItem, unknown> {
  const names = keyNames(declared);
  const index = new KeyIndex(declared.items, ({ key }) => key);
  const found = new Map<KeyedItem, unknown>();
  for (const item of applied.filter(isRecord))
    for (const match of index.matching(names, item)) if (!found.has(match)) found.set(match, item);
  return found;
}
