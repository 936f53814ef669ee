import type { Environment } from "@marcbachmann/cel-js";
import { isObject, type JsonObject, listAt, objectAt, textAt } from "../schema/json.ts";
import type { FieldError, KubeObject, Schema } from "../types.ts";
import { authorizerType, declareAuthorizer } from "./authorizer.ts";
import { baseEnvironment } from "./base.ts";
import { type Compiled, compile } from "./expression.ts";
import { describeFailure } from "./problem.ts";
import { declareSchema } from "./schema-types.ts";

const text: Schema = { type: "string" };
const kindSchema: Schema = { type: "object", properties: { group: text, version: text, kind: text } };
const resourceSchema: Schema = { type: "object", properties: { group: text, version: text, resource: text } };
const userSchema: Schema = {
  type: "object",
  properties: {
    username: text,
    uid: text,
    groups: { type: "array", items: text },
    extra: { type: "object", additionalProperties: { type: "array", items: text } },
  },
};

/** What expressions see of a request (apiserver plugin/policy/validating/compiler.go BuildRequestType). */
const requestSchema: Schema = {
  type: "object",
  properties: {
    kind: kindSchema,
    resource: resourceSchema,
    subResource: text,
    requestKind: kindSchema,
    requestResource: resourceSchema,
    requestSubResource: text,
    name: text,
    namespace: text,
    operation: text,
    userInfo: userSchema,
    dryRun: { type: "boolean" },
    options: { "x-kubernetes-preserve-unknown-fields": true },
  },
};

interface Named {
  readonly name: string;
  readonly expression: string;
  readonly compiled: Compiled;
}

interface Validation extends Named {
  readonly message: Compiled | undefined;
  readonly written: JsonObject;
}

export interface Policy {
  readonly conditions: readonly Named[];
  readonly variables: readonly Named[];
  readonly validations: readonly Validation[];
  /** Makes the value of `request`. */
  readonly request: (plain: Record<string, unknown>) => unknown;
  readonly ignoresErrors: boolean;
}

const policies = new WeakMap<KubeObject, Policy>();

/** The expressions of a ValidatingAdmissionPolicy, compiled once for each version of it. */
export function policyOf(policy: KubeObject): Policy {
  const known = policies.get(policy) ?? compilePolicy(policy);
  policies.set(policy, known);
  return known;
}

class Variables {
  [name: string]: unknown;
}

/** What every expression about a request may use. */
function requestEnvironment() {
  const environment = baseEnvironment().clone();
  const request = declareSchema(environment, requestSchema, "as written");
  declareAuthorizer(environment);
  environment
    .registerVariable("object", "dyn")
    .registerVariable("oldObject", "dyn")
    .registerVariable("request", request.type)
    .registerVariable("authorizer", authorizerType);
  return { environment, request };
}

function compilePolicy(policy: KubeObject): Policy {
  const { environment, request } = requestEnvironment();
  environment.registerVariable("namespaceObject", "dyn");
  if (objectAt(policy, "spec", "paramKind") !== undefined) environment.registerVariable("params", "dyn");
  const conditions = compileAll(listAt(policy, "spec", "matchConditions"), environment.clone());
  const { scope, variables } = compileVariables(policy, environment);
  const validations = compileAll(listAt(policy, "spec", "validations"), scope).map(
    (one, index): Validation => {
      const written = listAt(policy, "spec", "validations").filter(isObject)[index] ?? {};
      const message = textAt(written, "messageExpression");
      return { ...one, written, message: message === "" ? undefined : compile(scope, message) };
    },
  );
  const ignoresErrors = textAt(policy, "spec", "failurePolicy") === "Ignore";
  return { conditions, variables, validations, request: request.convert, ignoresErrors };
}

function compileAll(written: readonly unknown[], scope: Environment): Named[] {
  return written.filter(isObject).map((one) => {
    const expression = textAt(one, "expression");
    return { name: textAt(one, "name"), expression, compiled: compile(scope, expression) };
  });
}

const simpleTypes = ["bool", "double", "int", "string", "uint"];

/** Each variable sees those before it. */
function compileVariables(
  policy: KubeObject,
  environment: Environment,
): { scope: Environment; variables: Named[] } {
  let scope = environment.clone();
  const fields: Record<string, string> = {};
  const variables: Named[] = [];
  for (const written of listAt(policy, "spec", "variables").filter(isObject)) {
    const [name, expression] = [textAt(written, "name"), textAt(written, "expression")];
    const compiled = compile(scope, expression);
    variables.push({ name, expression, compiled });
    const type = "type" in compiled ? compiled.type : "dyn";
    fields[name] = simpleTypes.includes(type) ? type : "dyn";
    scope = environment
      .clone()
      .registerType("kubernetes.variables", { ctor: Variables, fields: { ...fields } })
      .registerVariable("variables", "kubernetes.variables");
  }
  return { scope, variables };
}

const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"];

function unknownReason(index: number, reason: string): FieldError {
  const supported = reasons.map((one) => JSON.stringify(one)).join(", ");
  const message = `Unsupported value: ${JSON.stringify(reason)}: supported values: ${supported}`;
  return { reason: "FieldValueNotSupported", field: `spec.validations[${index}].reason`, message };
}

function expressionProblems(field: string, { expression, compiled }: Named, wanted: string): FieldError[] {
  if (expression.trim() === "") return [];
  const invalid = (why: string): FieldError[] => [
    { reason: "FieldValueInvalid", field, message: `Invalid value: ${JSON.stringify(expression)}: ${why}` },
  ];
  if ("problem" in compiled) return invalid(`compilation failed: ${compiled.problem}`);
  if (wanted === "" || compiled.type === wanted) return [];
  return invalid(`must evaluate to ${wanted} but got ${compiled.type}`);
}

function conditionProblems(conditions: readonly Named[], place: string): FieldError[] {
  return conditions.flatMap((one, index) =>
    expressionProblems(`${place}.matchConditions[${index}].expression`, one, "bool"),
  );
}

/** What is wrong with the match conditions of a webhook, which is at `place`. */
export function webhookProblems(webhook: JsonObject, place: string): FieldError[] {
  const { environment } = requestEnvironment();
  return conditionProblems(compileAll(listAt(webhook, "matchConditions"), environment), place);
}

/** What is wrong with the expressions of a policy. */
export function policyProblems(policy: KubeObject): FieldError[] {
  const { conditions, variables, validations } = policyOf(policy);
  return [
    ...variables.flatMap((one, index) => expressionProblems(`spec.variables[${index}].expression`, one, "")),
    ...conditionProblems(conditions, "spec"),
    ...validations.flatMap(validationProblems),
  ];
}

function validationProblems(validation: Validation, index: number): FieldError[] {
  const { written, message } = validation;
  const place = `spec.validations[${index}]`;
  const reason = textAt(written, "reason");
  const expression = textAt(written, "messageExpression");
  return [
    ...expressionProblems(`${place}.expression`, validation, "bool"),
    ...(reason === "" || reasons.includes(reason) ? [] : [unknownReason(index, reason)]),
    ...(message === undefined
      ? []
      : expressionProblems(
          `${place}.messageExpression`,
          { name: "", expression, compiled: message },
          "string",
        )),
  ];
}

export interface Denial {
  message: string;
  reason: string;
}

type Values = Record<string, unknown>;

/** What a policy has against a request with these values; undefined where its conditions do not hold. */
export function judgePolicy(policy: Policy, values: Values): Denial[] {
  const unmet: Denial[] = [];
  for (const { expression, compiled } of policy.conditions) {
    const outcome = run(compiled, values);
    if (outcome.value === false) return [];
    if (outcome.error !== undefined) unmet.push(failed(expression, outcome.error));
  }
  if (unmet.length > 0) return policy.ignoresErrors ? [] : unmet;
  const all = { ...values, variables: lazyVariables(policy.variables, values) };
  return policy.validations.flatMap((validation) => judge(policy, validation, all));
}

function judge({ ignoresErrors }: Policy, validation: Validation, values: Values): Denial[] {
  const { compiled, expression, message, written } = validation;
  const outcome = run(compiled, values);
  if (outcome.error !== undefined) return ignoresErrors ? [] : [failed(expression, outcome.error)];
  if (outcome.value === true) return [];
  const made = message === undefined ? undefined : run(message, values).value;
  const told = typeof made === "string" && made.trim() !== "" && !made.includes("\n") ? made.trim() : "";
  const fixed = textAt(written, "message").trim() || `failed expression: ${expression.trim()}`;
  return [{ message: told || fixed, reason: textAt(written, "reason") || "Invalid" }];
}

function failed(expression: string, error: string): Denial {
  return { message: `expression '${expression.trim()}' resulted in error: ${error}`, reason: "Invalid" };
}

interface Outcome {
  value?: unknown;
  error?: string;
}

function run(compiled: Compiled, values: Values): Outcome {
  if ("problem" in compiled) return { error: `compilation error: ${compiled.problem}` };
  try {
    return { value: compiled.evaluate(values) };
  } catch (error) {
    return { error: describeFailure(error) };
  }
}

/** Evaluated when first used, and at most once. */
function lazyVariables(declared: readonly Named[], values: Values): Variables {
  const variables = new Variables();
  for (const { name, compiled } of declared) {
    let known: { value: unknown } | undefined;
    Object.defineProperty(variables, name, {
      enumerable: true,
      get() {
        if ("problem" in compiled) throw new Error(compiled.problem);
        known ??= { value: compiled.evaluate({ ...values, variables }) };
        return known.value;
      },
    });
  }
  return variables;
}
