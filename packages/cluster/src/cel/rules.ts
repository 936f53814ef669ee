import { stringifyJson } from "@capstan/formats";
import { Optional } from "@marcbachmann/cel-js";
import { isObject, sameJson } from "../schema/json.ts";
import { type FieldError, isRecord, type Schema } from "../types.ts";
import { baseEnvironment } from "./base.ts";
import { withinRequest } from "./budget.ts";
import { type Compiled, compile } from "./expression.ts";
import { describeFailure } from "./problem.ts";
import { type Convert, declareSchema } from "./schema-types.ts";

export const rulesKey = "x-kubernetes-validations";

/** One entry of x-kubernetes-validations, compiled where it can be. */
export interface Rule {
  readonly written: Readonly<Record<string, unknown>>;
  readonly rule: Compiled;
  readonly message: Compiled | undefined;
  readonly usesOld: boolean;
}

interface Rules {
  readonly rules: readonly Rule[];
  readonly convert: Convert;
}

const compiled = new WeakMap<Schema, Rules>();

/** The rules that stand at a node, compiled once for each version of a definition. */
export function rulesOf(schema: Schema, isRoot: boolean): Rules | undefined {
  const written = schema[rulesKey];
  if (!Array.isArray(written) || written.length === 0) return undefined;
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const environment = baseEnvironment().clone();
  const { type, convert } = declareSchema(environment, schema, isRoot ? "of a resource" : "of a part");
  environment.registerVariable("self", type);
  const withOld = environment.clone().registerVariable("oldSelf", type);
  const withOptional = environment.clone().registerVariable("oldSelf", `optional<${type}>`);
  const rules = written.filter(isObject).map((one): Rule => {
    const chosen = one.optionalOldSelf === true ? withOptional : withOld;
    const { rule, messageExpression } = one;
    return {
      written: one,
      rule: compile(chosen, text(rule)),
      message: text(messageExpression) === "" ? undefined : compile(chosen, text(messageExpression)),
      usesOld: /\boldSelf\b/.test(text(rule).replaceAll(/"[^"]*"|'[^']*'/g, "")),
    };
  });
  const found = { rules, convert };
  compiled.set(schema, found);
  return found;
}

export interface Place {
  readonly schema: Schema;
  readonly value: unknown;
  /** Undefined where nothing of the stored object corresponds. */
  readonly previous: unknown;
  readonly field: string;
}

/** What the rules of a schema and of all below it have against a value (apiextensions-apiserver schema/cel/validation.go). */
export function checkRules(place: Place): FieldError[] {
  const errors: FieldError[] = [];
  withinRequest(() => visit(place, errors));
  return errors;
}

function visit(place: Place, errors: FieldError[]): void {
  const { schema, value, previous, field } = place;
  if (value === undefined || value === null) return;
  checkHere(place, errors);
  if (Array.isArray(value)) visitItems({ ...place, value }, errors);
  if (!isRecord(value)) return;
  const values = typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
  for (const key of Object.keys(value).sort()) {
    const own = schema.properties?.[key];
    const below = own ?? values;
    if (below === undefined) continue;
    const child = own === undefined ? `${field}[${key}]` : field === "" ? key : `${field}.${key}`;
    visit(
      {
        schema: below,
        value: value[key],
        previous: isRecord(previous) ? previous[key] : undefined,
        field: child,
      },
      errors,
    );
  }
}

function visitItems(
  { schema, value, previous, field }: Place & { value: unknown[] },
  errors: FieldError[],
): void {
  const { items } = schema;
  if (items === undefined) return;
  for (const [index, item] of value.entries())
    visit(
      {
        schema: items,
        value: item,
        previous: counterpart(schema, item, previous),
        field: `${field}[${index}]`,
      },
      errors,
    );
}

/** Only the items of a map list are the same ones before and after. */
function counterpart(schema: Schema, item: unknown, previous: unknown): unknown {
  if (schema["x-kubernetes-list-type"] !== "map" || !Array.isArray(previous)) return undefined;
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  return previous.find((other) => keys.every((key) => sameJson(partOf(other, key), partOf(item, key))));
}

function partOf(item: unknown, key: string): unknown {
  return isRecord(item) ? (item[key] ?? null) : null;
}

function checkHere({ schema, value, previous, field }: Place, errors: FieldError[]): void {
  const found = rulesOf(schema, field === "");
  if (found === undefined) return;
  const self = found.convert(value);
  const old = previous === undefined || previous === null ? undefined : found.convert(previous);
  const isSame = old !== undefined && sameJson(value, previous);
  for (const rule of found.rules) {
    const isOptional = rule.written.optionalOldSelf === true;
    if (rule.usesOld && old === undefined && !isOptional) continue;
    const isPlain = typeof value !== "object";
    const variables = {
      self,
      ...(rule.usesOld && {
        oldSelf: isOptional ? (old === undefined ? Optional.none() : Optional.of(old)) : old,
      }),
    };
    const error = judge(rule, {
      variables,
      field,
      type: schema.type ?? "",
      shown: isPlain ? `${stringifyJson(value)}: ` : "",
    });
    // What was wrong before and has not been touched may stay (KEP-4008).
    if (error !== undefined && !(isSame && !rule.usesOld)) errors.push(error);
  }
}

interface Case {
  variables: Record<string, unknown>;
  field: string;
  type: string;
  /** The value, where it is short. */
  shown: string;
}

function judge(
  { rule, message, written }: Rule,
  { variables, field, type, shown }: Case,
): FieldError | undefined {
  const named = text(written.message).trim() || text(written.rule).trim();
  if ("problem" in rule)
    return {
      reason: "FieldValueInvalid",
      field,
      message: `Invalid value: "${type}": rule compile error: ${rule.problem}`,
    };
  try {
    if (rule.evaluate(variables) === true) return undefined;
  } catch (error) {
    const why = evaluationFailure(describeFailure(error), named);
    return { reason: "FieldValueInvalid", field, message: `Invalid value: "${type}": ${why}` };
  }
  const reason = text(written.reason) || "FieldValueInvalid";
  const told =
    evaluateMessage(message, variables) ??
    (text(written.message).trim() || `failed rule: ${text(written.rule).trim()}`);
  return { reason, field: placeOf(field, text(written.fieldPath)), message: tell(reason, shown, told) };
}

/** apiextensions-apiserver schema/cel/validation.go evalErrorFieldDetail */
function evaluationFailure(why: string, rule: string): string {
  return why.startsWith("no such overload")
    ? `'${why}': call arguments did not match a supported operator, function or macro signature for rule: ${rule}`
    : `${why} evaluating rule: ${rule}`;
}

/** field.Error's text for each of the reasons that a rule may give. */
function tell(reason: string, shown: string, told: string): string {
  if (reason === "FieldValueDuplicate") return `Duplicate value${shown && `: ${shown.slice(0, -2)}`}`;
  if (reason === "FieldValueRequired") return `Required value: ${told}`;
  return reason === "FieldValueForbidden" ? `Forbidden: ${told}` : `Invalid value: ${shown}${told}`;
}

const longestMessage = 5_120;

/** A message that cannot be made is replaced by the fixed one. */
function evaluateMessage(
  message: Compiled | undefined,
  variables: Record<string, unknown>,
): string | undefined {
  if (message === undefined || "problem" in message) return undefined;
  try {
    const made = message.evaluate(variables);
    if (typeof made !== "string" || made.trim() === "" || made.includes("\n") || made.length > longestMessage)
      return undefined;
    return made.trim();
  } catch (error) {
    if (describeFailure(error) === "") throw error;
    return undefined;
  }
}

function placeOf(field: string, path: string): string {
  if (path === "") return field;
  const steps = path.replaceAll(
    /\['((?:\\.|[^'])*)'\]/g,
    (_whole, name: string) => `[${name.replaceAll(/\\(.)/g, "$1")}]`,
  );
  return field === "" ? steps.replace(/^\./, "") : `${field}${steps}`;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
