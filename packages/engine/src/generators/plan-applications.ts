import { equalJson, isRecord, makeMergePatch } from "@capstan/formats";
import {
  type Application,
  type ApplicationSet,
  annotationKeys,
  argoApiVersion,
  finalizers,
  type Manifest,
  normalizeApplicationSpec,
  type OwnerReference,
} from "@capstan/model";
import { isEmpty } from "./combine-parameters.ts";
import { ElementMemory } from "./element-memory.ts";
import type { GeneratedApplication } from "./generate-applications.ts";
import { nameProblem, namesOf } from "./generated-names.ts";
import { type DeleteByJq, withoutIgnored } from "./ignored-differences.ts";

/** What a set may do with Applications that are there (v1alpha1 ApplicationsSyncPolicy). */
export interface SetPolicy {
  readonly mayUpdate: boolean;
  readonly mayDelete: boolean;
}

export interface PlanInput {
  readonly set: ApplicationSet;
  readonly generated: readonly GeneratedApplication[];
  /** Applications of the set's namespace that it controls. */
  readonly owned: readonly Application[];
  /** Any Application of the set's namespace, by its name. */
  find(name: string): Application | undefined;
  readonly policy: SetPolicy;
  /** Kept beside what the set says, for all sets. */
  readonly preserved?: { readonly annotations: readonly string[]; readonly labels: readonly string[] };
  /** Why an Application cannot be: its project or its destination is not there, or does not permit it. */
  problemOf(application: Application): string | undefined;
  /** Only Applications of these names are looked at; default: all. */
  readonly only?: ReadonlySet<string> | undefined;
  /** Whether the destination's cluster is known. */
  isReachable(application: Application): boolean;
  /** Which Applications are as they should be; default: nothing is known. */
  readonly memory?: ElementMemory;
  /** For what the set ignores by more than paths. */
  readonly deleteByJq?: DeleteByJq | undefined;
}

export type ApplicationChange =
  | { readonly kind: "create"; readonly name: string; readonly application: Application }
  | {
      readonly kind: "update";
      readonly name: string;
      readonly patch: { readonly [field: string]: unknown };
      readonly before: Application;
    }
  /** `abandons`: its cluster is gone, so that its objects cannot be deleted first. */
  | {
      readonly kind: "delete";
      readonly name: string;
      readonly before: Application;
      readonly abandons: boolean;
    };

export interface ApplicationPlan {
  readonly changes: readonly ApplicationChange[];
  /** Applications that are not written, each with its element; they are not deleted either. */
  readonly problems: readonly { readonly name: string; readonly message: string }[];
  /** Names that the set's elements have, of whatever is looked at. */
  readonly wanted: ReadonlySet<string>;
  /** All that are deleted, or are being deleted already, since no element is theirs; of whatever is looked at. */
  readonly leaving: readonly string[];
}

/**
 * What has to be done so that the set's Applications are those that it means. Creations and updates in the order of
 * names come before deletions (applicationset/controllers createOrUpdateInCluster, deleteInCluster).
 */
export function planApplications(input: PlanInput): ApplicationPlan {
  const { set, generated, owned, policy, only } = input;
  const problems: { name: string; message: string }[] = [];
  const changes: ApplicationChange[] = [];
  const settled = settledOf(input);
  const { byName, names, wanted, isNamed } = namesOf(generated);
  for (const name of only ? [...only].sort() : names) {
    const [made, ...twins] = byName.get(name) ?? [];
    if (!made) continue;
    if (twins.length > 0) {
      const elements = [made, ...twins].map((one) => one.element);
      problems.push({ name, message: duplicateMessage(set, name, elements) });
      continue;
    }
    const { application, element } = made;
    const existing = input.find(name);
    const problem =
      nameProblem(name) ??
      input.problemOf(application) ??
      (existing && takeoverProblem(set, application, existing));
    if (problem !== undefined) problems.push({ name, message: `${name} (${element}): ${problem}` });
    else if (!existing) changes.push({ kind: "create", name, application: controlled(set, application) });
    else if (policy.mayUpdate && !existing.metadata.deletionTimestamp) {
      if (settled.get(application) === existing) continue;
      const patch = updatePatch(input, application, existing);
      if (patch) changes.push({ kind: "update", name, patch, before: existing });
      else settled.set(application, existing);
    }
  }
  // What one without a name was called before is not known: it may be any of those that nothing makes any more.
  const mayDelete = policy.mayDelete && isNamed;
  const leaving = mayDelete ? owned.filter(({ metadata }) => !wanted.has(metadata.name)) : [];
  for (const before of leaving) {
    const { name, deletionTimestamp } = before.metadata;
    if (deletionTimestamp || (only && !only.has(name))) continue;
    changes.push({ kind: "delete", name, before, abandons: abandons(before, input) });
  }
  return { changes, problems, wanted, leaving: leaving.map(({ metadata }) => metadata.name) };
}

/** By all that a comparison hangs on beside the two. */
function settledOf({ set: { metadata, spec }, preserved, memory = new ElementMemory() }: PlanInput) {
  const { preservedFields, ignoreApplicationDifferences } = spec;
  return memory.settled([
    metadata.name,
    metadata.uid,
    preservedFields,
    ignoreApplicationDifferences,
    preserved,
  ]);
}

function duplicateMessage({ metadata }: ApplicationSet, name: string, elements: readonly string[]): string {
  const shown = elements.slice(0, 5).join("; ");
  const more = elements.length > 5 ? ` and ${elements.length - 5} more` : "";
  return `ApplicationSet ${metadata.name} contains applications with duplicate name: ${name} (${shown}${more})`;
}

/** An Application that somebody else made is taken on, unless another controls it or another project has it. */
function takeoverProblem(
  set: ApplicationSet,
  wanted: Application,
  existing: Application,
): string | undefined {
  const owner = controllerOf(existing);
  if (owner)
    return owner.uid === set.metadata.uid
      ? undefined
      : `an Application of this name is there already and belongs to ${owner.kind} ${owner.name}`;
  const [has, wants] = [existing.spec.project || "default", wanted.spec.project || "default"];
  if (has === wants) return undefined;
  return `an Application of this name is there already, of project ${has}: it is not taken into project ${wants}`;
}

export function controllerOf({
  metadata,
}: Pick<Application, "metadata"> | Manifest): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

function abandons(app: Application, { isReachable }: PlanInput): boolean {
  return (app.metadata.finalizers ?? []).includes(finalizers.resources) && !isReachable(app);
}

function ownerReference({ metadata }: ApplicationSet): OwnerReference {
  return {
    apiVersion: argoApiVersion,
    kind: "ApplicationSet",
    name: metadata.name,
    uid: metadata.uid ?? "",
    controller: true,
    blockOwnerDeletion: true,
  };
}

function controlled(set: ApplicationSet, application: Application): Application {
  return {
    ...application,
    metadata: { ...application.metadata, ownerReferences: [ownerReference(set)] },
    spec: normalizeApplicationSpec(application.spec),
  };
}

/** Annotations that people and other controllers put on Applications, which no set takes away. */
const keptAnnotations: readonly string[] = [
  "notified.notifications.argoproj.io",
  annotationKeys.refresh,
  annotationKeys.refreshTimestamp,
  annotationKeys.traceparent,
  annotationKeys.hydrate,
  annotationKeys.pruneAllowed,
  annotationKeys.imageUpdates,
];

/** What is left of an Application's annotations for its set to keep, as far as that does not hang on what the set says. */
export function keptBySet(annotations: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !keptAnnotations.includes(key)));
}

type Fields = { [field: string]: unknown };

function updatePatch(input: PlanInput, wanted: Application, existing: Application): Fields | undefined {
  const { set, preserved } = input;
  const { preservedFields, ignoreApplicationDifferences: rules = [] } = set.spec;
  const { metadata } = existing;
  const annotations = [
    ...keptAnnotations,
    ...(preservedFields?.annotations ?? []),
    ...(preserved?.annotations ?? []),
  ];
  const labels = [...(preservedFields?.labels ?? []), ...(preserved?.labels ?? [])];
  const desired = {
    metadata: {
      annotations: { ...wanted.metadata.annotations, ...pick(metadata.annotations, annotations) },
      labels: { ...wanted.metadata.labels, ...pick(metadata.labels, labels) },
      finalizers: withKept(wanted.metadata.finalizers ?? [], metadata.finalizers ?? []),
      ownerReferences: withOwner(metadata.ownerReferences ?? [], ownerReference(set)),
    },
    spec: normalizeApplicationSpec(wanted.spec),
  };
  const live = {
    metadata: {
      annotations: metadata.annotations ?? {},
      labels: metadata.labels ?? {},
      finalizers: metadata.finalizers ?? [],
      ownerReferences: metadata.ownerReferences ?? [],
    },
    spec: normalizeApplicationSpec(existing.spec),
  };
  const ignored = { name: metadata.name, rules, deleteByJq: input.deleteByJq };
  return makeMergePatch(comparable(live, ignored), comparable(desired, ignored));
}

type Rules = NonNullable<ApplicationSet["spec"]["ignoreApplicationDifferences"]>;

function comparable(
  side: Fields,
  ignored: { name: string; rules: Rules; deleteByJq?: DeleteByJq | undefined },
): Fields {
  const left = withoutIgnored(side, ignored);
  return { ...left, spec: isRecord(left.spec) ? withoutZeros(left.spec) : {} };
}

function pick(
  texts: Readonly<Record<string, string>> | undefined,
  keys: readonly string[],
): Record<string, string> {
  const wanted = new Set(keys);
  return Object.fromEntries(Object.entries(texts ?? {}).filter(([key]) => wanted.has(key)));
}

/** Finalizers that the controller of applications puts there for hooks stay. */
function withKept(wanted: readonly string[], live: readonly string[]): readonly string[] {
  const isHook = (name: string): boolean =>
    name.startsWith(finalizers.postDelete) || name.startsWith(finalizers.preDelete);
  const all = [...wanted, ...live.filter((name) => isHook(name) && !wanted.includes(name))];
  const isSame = all.length === live.length && all.every((name) => live.includes(name));
  return isSame ? live : all;
}

function withOwner(live: readonly OwnerReference[], own: OwnerReference): readonly OwnerReference[] {
  const index = live.findIndex(({ uid }) => uid === own.uid);
  const known = live[index];
  if (known && equalJson(known, own)) return live;
  return index < 0 ? [...live, own] : live.map((one, at) => (at === index ? own : one));
}

/** Of these, unlike of other fields, nothing is not the same as false, 0 or an empty object (pointers in types.go). */
const meaningful = new Set([
  "automated",
  "enabled",
  "revisionHistoryLimit",
  "factor",
  "string",
  "array",
  "map",
]);
/** What a chart's values say is theirs. */
const opaque = new Set(["valuesObject"]);

/** A field with Go's zero value is one that is not there: what Argo CD wrote and what a template says are then the same. */
function withoutZeros(value: { readonly [field: string]: unknown }): Fields {
  const kept: [string, unknown][] = [];
  for (const [field, one] of Object.entries(value)) {
    const stripped = opaque.has(field) ? one : stripZeros(one);
    if (meaningful.has(field) || !isEmpty(stripped)) kept.push([field, stripped]);
  }
  return Object.fromEntries(kept);
}

function stripZeros(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stripZeros);
  return isRecord(value) ? withoutZeros(value) : value;
}
