import { cel } from "../cel/loaded.ts";
import type { Change } from "../cel/mutation.ts";
import type { AdmissionHook, Review } from "../objects/world.ts";
import { withDefaults } from "../schema/defaults.ts";
import { isKubeObject, isObject, type JsonObject, sameJson, textAt } from "../schema/json.ts";
import { type Atom, atomOf, shapeOf } from "../schema/merge/atom.ts";
import { typeProblems } from "../schema/merge/collect.ts";
import { mergeValues } from "../schema/merge/merge-values.ts";
import { jsonPatch, PatchTestFailed } from "../schema/patching/json-patch.ts";
import { ApiError, type KubeObject } from "../types.ts";
import {
  type Bound,
  boundPolicies,
  type PolicyNeeds,
  paramsOf,
  policyGroup,
  valuesOf,
} from "./bound-policies.ts";

export const mutatingPolicyType = `${policyGroup}/mutatingadmissionpolicies`;
const types = { policies: mutatingPolicyType, bindings: `${policyGroup}/mutatingadmissionpolicybindings` };

/** What a policy could not do, and whether that refuses the change. */
interface Failure extends Bound {
  message: string;
}

/** A new state on its way through the policies. */
interface Passing {
  object: KubeObject;
  readonly failures: Failure[];
}

/** MutatingAdmissionPolicy (KEP-3962): what expressions make of a new state. */
export function mutateByPolicies(needs: PolicyNeeds, review: Review, object: KubeObject): KubeObject {
  const bound = boundPolicies(needs.world, review, types);
  if (bound.length === 0) return object;
  const passing: Passing = { object, failures: [] };
  for (const one of bound) mutateBy(needs, review, { bound: one, passing });
  // Those that asked for it see what the others did, once (apiserver policy/mutating/reinvocationcontext.go).
  if (!sameJson(passing.object, object))
    for (const one of bound)
      if (textAt(one.policy, "spec", "reinvocationPolicy") === "IfNeeded")
        mutateBy(needs, review, { bound: one, passing });
  refuse(review, passing.failures);
  return passing.object;
}

function mutateBy(
  needs: PolicyNeeds,
  review: Review,
  { bound, passing }: { bound: Bound; passing: Passing },
): void {
  const { mutatingPolicyOf, mutateBy: run, toDynamic } = cel();
  const policy = mutatingPolicyOf(bound.policy);
  const fail = (message: string): void => {
    if (!policy.ignoresErrors) passing.failures.push({ ...bound, message });
  };
  const found = paramsOf(needs.world, review, bound);
  if (typeof found === "string") {
    fail(found);
    return;
  }
  const shared = valuesOf(needs, review, policy);
  for (const params of found) {
    const denials = run(policy, {
      values: { ...shared, params },
      current: () => toDynamic(passing.object),
      make(change) {
        const made = changed(review, passing.object, change);
        if (typeof made === "string") fail(made);
        else passing.object = made;
      },
    });
    for (const { message } of denials) fail(message);
  }
}

/** The state after one change, or why it cannot be made. */
function changed(review: Review, object: KubeObject, change: Change): KubeObject | string {
  if ("problem" in change) return change.problem;
  const { served } = review;
  const atom = atomOf(served.schema());
  const made = "apply" in change ? merged(atom, object, change.apply) : patched(object, change.patch);
  if (typeof made === "string") return made;
  const [problem] = typeProblems(atom, made);
  if (problem !== undefined || !isKubeObject(made))
    throw new ApiError(500, "InternalError", `Internal error occurred: ${problem ?? "no object is left"}`);
  return withDefaults(served.schema(), served.defaults, { ...made, metadata: sameOne(object, made) });
}

/** An object stays the one that it is, whatever policies make of it. */
function sameOne({ metadata }: KubeObject, made: KubeObject): KubeObject["metadata"] {
  const { name, namespace, uid, resourceVersion, generation, creationTimestamp, managedFields } = metadata;
  const fixed = { name, namespace, uid, resourceVersion, generation, creationTimestamp, managedFields };
  const given = Object.fromEntries(Object.entries(fixed).filter(([, value]) => value !== undefined));
  return { ...made.metadata, ...given };
}

/** As a server-side apply would merge it, but nothing is owned (apiserver policy/mutating/patch/smd.go). */
function merged(atom: Atom, object: KubeObject, apply: JsonObject): unknown {
  const { apiVersion, kind } = object;
  const configuration = { ...apply, apiVersion, kind };
  const [problem] = typeProblems(atom, configuration);
  if (problem !== undefined)
    return `error applying patch: failed to convert patch object to typed object: ${problem}`;
  const atomic = atomicsIn(atom, configuration, "");
  if (atomic.length > 0)
    return `error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomic.join(", ")}`;
  return mergeValues(atom, object, configuration);
}

function atomicsIn(atom: Atom, value: unknown, path: string): string[] {
  const shape = shapeOf(atom, value);
  if (shape.kind === "list" && Array.isArray(value)) {
    const below = value.flatMap((item, index) => atomicsIn(shape.list.element, item, `${path}[${index}]`));
    return shape.list.atomic ? [path, ...below] : below;
  }
  if (shape.kind !== "map" || !isObject(value)) return [];
  const below = Object.entries(value).flatMap(([key, item]) => {
    const field = shape.map.field(key);
    return field === undefined ? [] : atomicsIn(field, item, `${path}.${key}`);
  });
  return shape.map.atomic ? [path, ...below] : below;
}

/** A patch whose test fails changes nothing (apiserver policy/mutating/patch/json_patch.go). */
function patched(object: KubeObject, patch: readonly JsonObject[]): unknown {
  try {
    return jsonPatch(object, patch);
  } catch (error) {
    if (error instanceof PatchTestFailed) return object;
    if (error instanceof ApiError)
      return `JSON Patch: one of ${patch.length} operations does not fit the object`;
    throw error;
  }
}

function refuse({ served, name }: Review, failures: readonly Failure[]): void {
  const messages = failures.map(
    ({ policy, binding, message }) =>
      `policy '${policy.metadata.name}' with binding '${binding.metadata.name}' denied request: ${message}`,
  );
  const [first] = messages;
  if (first === undefined) return;
  const { group, resource } = served.info;
  throw new ApiError(403, "Invalid", first, {
    ...(name && { name }),
    ...(group && { group }),
    kind: resource,
    causes: messages.map((message) => ({ message })),
  });
}

/** Whether the expressions of a policy compile is known to the language alone. */
export const mutatingPolicyHook: AdmissionHook = {
  admit: (object) => object,
  problems: (object) => (isObject(object.spec) ? cel().mutatingPolicyProblems(object) : []),
};
