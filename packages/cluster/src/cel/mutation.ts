import { escapePointerStep } from "@capstan/formats";
import type { Environment } from "@marcbachmann/cel-js";
import { isObject, type JsonObject, listAt, objectAt, textAt } from "../schema/json.ts";
import type { FieldError, KubeObject } from "../types.ts";
import { compile } from "./expression.ts";
import {
  newObject,
  newRoot,
  RootObject,
  rootType,
  toPlain,
  typeMismatch,
  typeNameOf,
  withoutLiterals,
} from "./object-literals.ts";
import {
  compileScope,
  type Denial,
  expressionProblems,
  meets,
  type Named,
  onceFor,
  type PolicyScope,
  run,
  scopeProblems,
  type Values,
  withVariables,
} from "./policy-scope.ts";

type PatchType = "ApplyConfiguration" | "JSONPatch";

interface Mutation extends Named {
  readonly patchType: PatchType;
  readonly place: string;
}

export interface MutatingPolicy extends PolicyScope {
  readonly mutations: readonly Mutation[];
}

class PatchFunctions {}

/** The expressions of a MutatingAdmissionPolicy. */
export const mutatingPolicyOf = onceFor(compilePolicy);

function compilePolicy(policy: KubeObject): MutatingPolicy {
  const shared = compileScope(policy);
  const scope = withPatchTypes(shared.scope.clone());
  const mutations = listAt(policy, "spec", "mutations")
    .filter(isObject)
    .map((written, index) => readMutation(scope, written, `spec.mutations[${index}]`));
  return { ...shared, mutations };
}

function readMutation(scope: Environment, written: JsonObject, place: string): Mutation {
  const patchType = textAt(written, "patchType") === "JSONPatch" ? "JSONPatch" : "ApplyConfiguration";
  const key = patchType === "JSONPatch" ? "jsonPatch" : "applyConfiguration";
  const expression = textAt(objectAt(written, key), "expression");
  const rewritten = withoutLiterals(expression);
  const compiled = compile(scope, rewritten.text, rewritten);
  return { name: "", expression, patchType, place: `${place}.${key}.expression`, compiled };
}

/** apiserver pkg/cel/library/jsonpatch.go, and the types of what is made. */
function withPatchTypes(environment: Environment): Environment {
  return environment
    .registerType("JsonPatchNamespace", { ctor: PatchFunctions, fields: {} })
    .registerConstant("jsonpatch", "JsonPatchNamespace", new PatchFunctions())
    .registerFunction(
      "JsonPatchNamespace.escapeKey(string): string",
      (_functions: PatchFunctions, key: string) => escapePointerStep(key),
    )
    .registerType(rootType, { ctor: RootObject, fields: {} })
    .registerFunction(`newRoot(map): ${rootType}`, newRoot)
    .registerFunction("newObject(string, map): dyn", newObject);
}

/** What is wrong with the expressions of a policy. */
export function mutatingPolicyProblems(policy: KubeObject): FieldError[] {
  const compiled = mutatingPolicyOf(policy);
  return [...scopeProblems(compiled), ...compiled.mutations.flatMap(mutationProblems)];
}

function mutationProblems(mutation: Mutation): FieldError[] {
  const { compiled, patchType, place } = mutation;
  const type = "type" in compiled ? compiled.type : "";
  const [wanted, fits] =
    patchType === "JSONPatch"
      ? ["list(JSONPatch)", /^(dyn|list(<dyn>)?)$/.test(type)]
      : [rootType, type === "dyn" || type === rootType];
  return expressionProblems(place, mutation, fits ? "" : wanted);
}

/** One change that a policy asks for. */
export type Change = { apply: JsonObject } | { patch: readonly JsonObject[] } | { problem: string };

export interface Mutating {
  readonly values: Values;
  /** The value of `object` at that moment: each mutation sees what those before it did. */
  current(): unknown;
  make(change: Change): void;
}

/** Goes through the mutations of a policy; what keeps it from that. */
export function mutateBy(policy: MutatingPolicy, { values, current, make }: Mutating): readonly Denial[] {
  const met = meets(policy, values);
  if (met === false) return [];
  if (met !== true) return met;
  for (const { patchType, compiled } of policy.mutations) {
    const { value, error } = run(compiled, withVariables(policy, { ...values, object: current() }));
    if (error !== undefined) make({ problem: error });
    else make(patchType === "JSONPatch" ? readPatch(value) : readConfiguration(value));
  }
  return [];
}

function readConfiguration(value: unknown): Change {
  if (typeNameOf(value) !== rootType)
    return { problem: "unsupported return type from ApplyConfiguration expression: an Object is wanted" };
  const mismatch = typeMismatch(value);
  const apply = toPlain(value);
  return mismatch === undefined && isObject(apply)
    ? { apply }
    : { problem: `type mismatch: ${mismatch ?? "an Object is wanted"}` };
}

function readPatch(value: unknown): Change {
  if (!Array.isArray(value))
    return { problem: "type mismatch: JSONPatchType.expression should evaluate to array" };
  const patch: JsonObject[] = [];
  for (const item of value) {
    const operation = toPlain(item);
    if (typeNameOf(item) !== "JSONPatch" || !(item instanceof Map) || !isObject(operation))
      return { problem: "type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch" };
    const mismatch = typeMismatch(item.get("value"));
    if (mismatch !== undefined) return { problem: `type mismatch: ${mismatch}` };
    patch.push(operation);
  }
  return { patch };
}
