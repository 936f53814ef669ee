import type { Environment } from "@marcbachmann/cel-js";
import { isObject, type JsonObject, listAt, objectAt, textAt } from "../schema/json.ts";
import type { Rbac } from "../security/rbac.ts";
import type { User } from "../security/user.ts";
import type { FieldError, KubeObject, Schema } from "../types.ts";
import { Authorizer, authorizerType, declareAuthorizer } from "./authorizer.ts";
import { baseEnvironment } from "./base.ts";
import { withinRequest } from "./budget.ts";
import { type Compiled, compile } from "./expression.ts";
import { describeFailure } from "./problem.ts";
import { declareSchema, toDynamic } from "./schema-types.ts";

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

export interface Named {
  readonly name: string;
  readonly expression: string;
  readonly compiled: Compiled;
}

/** What the expressions of every kind of policy share. */
export interface PolicyScope {
  readonly conditions: readonly Named[];
  readonly variables: readonly Named[];
  /** Where its other expressions are compiled. */
  readonly scope: Environment;
  /** Makes the value of `request`. */
  readonly request: (plain: Record<string, unknown>) => unknown;
  readonly ignoresErrors: boolean;
}

/** Compiles each policy once: a new version of it is another object. */
export function onceFor<Compiled extends object>(compilePolicy: (policy: KubeObject) => Compiled) {
  const policies = new WeakMap<KubeObject, Compiled>();
  return (policy: KubeObject): Compiled => {
    const known = policies.get(policy) ?? compilePolicy(policy);
    policies.set(policy, known);
    return known;
  };
}

class Variables {
  [name: string]: unknown;
}

/** What every expression about a request may use. */
function requestEnvironment(schema?: Schema) {
  const environment = baseEnvironment().clone();
  const request = declareSchema(environment, requestSchema, "as written");
  const object = typeNamed(environment, schema);
  declareAuthorizer(environment);
  environment
    .registerVariable("object", object)
    .registerVariable("oldObject", object)
    .registerVariable("request", request.type)
    .registerVariable("authorizer", authorizerType);
  return { environment, request };
}

/** What is known of the types that a policy works on, which is nothing while it works. */
interface Subjects {
  readonly object?: Schema | undefined;
  readonly params?: Schema | undefined;
}

const typeNamed = (environment: Environment, schema: Schema | undefined): string =>
  schema === undefined ? "dyn" : declareSchema(environment, schema, "of a part").type;

export function compileScope(policy: KubeObject, { object, params }: Subjects = {}): PolicyScope {
  const { environment, request } = requestEnvironment(object);
  environment.registerVariable("namespaceObject", "dyn");
  if (objectAt(policy, "spec", "paramKind") !== undefined)
    environment.registerVariable("params", typeNamed(environment, params));
  const conditions = compileAll(listAt(policy, "spec", "matchConditions"), environment.clone());
  const ignoresErrors = textAt(policy, "spec", "failurePolicy") === "Ignore";
  return { conditions, ...compileVariables(policy, environment), request: request.convert, ignoresErrors };
}

export function compileAll(written: readonly unknown[], scope: Environment): Named[] {
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

export function expressionProblems(
  field: string,
  { expression, compiled }: Named,
  wanted: string,
): FieldError[] {
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

/** What is wrong with the variables and conditions of a policy. */
export function scopeProblems({ conditions, variables }: PolicyScope): FieldError[] {
  return [
    ...variables.flatMap((one, index) => expressionProblems(`spec.variables[${index}].expression`, one, "")),
    ...conditionProblems(conditions, "spec"),
  ];
}

/** What is wrong with the match conditions of a webhook, which is at `place`. */
export function webhookProblems(webhook: JsonObject, place: string): FieldError[] {
  const { environment } = requestEnvironment();
  return conditionProblems(compileAll(listAt(webhook, "matchConditions"), environment), place);
}

interface WebhookChange {
  readonly object: KubeObject | undefined;
  readonly previous: KubeObject | undefined;
  readonly request: JsonObject;
  readonly rbac: Rbac;
  readonly requester: User | undefined;
}

const itself: User = { username: "system:apiserver", groups: ["system:masters"] };

/** Whether the match conditions of a webhook hold; a text: why that cannot be told. */
export function webhookMeets(webhook: JsonObject, change: WebhookChange): boolean | string {
  const { environment, request } = requestEnvironment();
  const conditions = compileAll(listAt(webhook, "matchConditions"), environment);
  const values = {
    object: change.object === undefined ? null : toDynamic(change.object),
    oldObject: change.previous === undefined ? null : toDynamic(change.previous),
    request: request.convert(change.request),
    authorizer: new Authorizer(change.rbac, change.requester ?? itself),
  };
  const met = withinRequest(() => meets({ conditions }, values));
  return typeof met === "boolean" ? met : met.map(({ message }) => message).join(", ");
}

export interface Denial {
  message: string;
  reason: string;
}

export type Values = Record<string, unknown>;

/** Whether the conditions of a policy hold; what went wrong with them, where that cannot be told. */
export function meets({ conditions }: Pick<PolicyScope, "conditions">, values: Values): boolean | Denial[] {
  const unmet: Denial[] = [];
  for (const { expression, compiled } of conditions) {
    const outcome = run(compiled, values);
    if (outcome.value === false) return false;
    if (outcome.error !== undefined) unmet.push(failed(expression, outcome.error));
  }
  return unmet.length === 0 || unmet;
}

export function withVariables({ variables }: PolicyScope, values: Values): Values {
  return { ...values, variables: lazyVariables(variables, values) };
}

export function failed(expression: string, error: string): Denial {
  return { message: `expression '${expression.trim()}' resulted in error: ${error}`, reason: "Invalid" };
}

interface Outcome {
  value?: unknown;
  error?: string;
}

export function run(compiled: Compiled, values: Values): Outcome {
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
