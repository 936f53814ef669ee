import { stringifyJson } from "@capstan/formats";
import { tryRegexp } from "@capstan/formats/re2";
import type { FieldError, Schema } from "../../types.ts";
import { isNumeric, isObject, type JsonObject, sameJson } from "../json.ts";
import { ResolvedSchema } from "../resolved-schema.ts";
import { formatProblem } from "./formats.ts";
import { Report } from "./report.ts";

/**
 * Structural schemas: apiextensions-apiserver/pkg/apiserver/validation, with its words. What stands at the same place in
 * `fits` is valid.
 */
export function validateCustom(
  report: Report,
  schema: ResolvedSchema,
  { object, fits = {} }: { object: JsonObject; fits?: Readonly<JsonObject> | undefined },
): void {
  for (const [key, value] of Object.entries(object)) {
    if (key === "metadata" || key === "apiVersion" || key === "kind") continue;
    const below = schema.property(key);
    if (below) check(report, below, { value, field: key, fits: fits[key] });
  }
  checkObject(report, schema, { value: object, field: "", shallow: true });
  checkLogic(report, schema, { value: object, field: "" });
}

/** What keeps one value from fitting a schema that stands by itself, as a default must. */
export function customProblems(schema: JsonObject, value: unknown): readonly FieldError[] {
  const report = new Report();
  const definitions = { byName: {}, nodes: new Map() };
  const node = new ResolvedSchema({ own: schema, definitions, custom: true, preserved: false });
  check(report, node, { value, field: "" });
  return report.errors;
}

interface Place {
  value: unknown;
  field: string;
  fits?: unknown;
}

function check(report: Report, schema: ResolvedSchema, place: Place): void {
  const { value, field, fits } = place;
  if (typeof value === "object" && value !== null && value === fits) return;
  if (value === undefined || (value === null && schema.schema.nullable === true)) return;
  if (!checkType(report, schema, place)) return;
  const allowed = schema.schema.enum;
  if (allowed && !allowed.some((item) => sameJson(item, value))) report.unsupported(field, value, allowed);
  if (typeof value === "string") checkText(report, schema, { value, field });
  else if (isNumeric(value)) checkNumber(report, schema, { value, field });
  else if (Array.isArray(value)) checkList(report, schema, { value, field });
  else if (isObject(value)) checkObject(report, schema, { value, field, fits, shallow: false });
  checkLogic(report, schema, place);
}

function checkType(report: Report, schema: ResolvedSchema, { value, field }: Place): boolean {
  if (schema.schema["x-kubernetes-int-or-string"] === true) {
    if (typeOf(value) === "integer" || typeof value === "string") return true;
    report.typeInvalid(
      field,
      typeOf(value),
      `${field} in body must be of type integer,string: "${typeOf(value)}"`,
    );
    return false;
  }
  const type = schema.type;
  const actual = typeOf(value);
  if (type === undefined || type === "" || type === actual || (type === "number" && actual === "integer"))
    return true;
  report.typeInvalid(field, actual, `${field} in body must be of type ${type}: "${actual}"`);
  return false;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "bigint") return isInt64(value) ? "integer" : "number";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

/** What is beyond is a float64 to Go (apimachinery util/json ConvertInterfaceNumbers). */
function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

/** The API server stops at the first thing wrong with a text or a number. */
function checkText(
  report: Report,
  { schema }: ResolvedSchema,
  { value, field }: { value: string; field: string },
): void {
  const { minLength, maxLength, pattern, format } = schema;
  const length = minLength === undefined && maxLength === undefined ? 0 : [...value].length;
  if (typeof maxLength === "number" && length > maxLength)
    report.tooLong(field, `may not be more than ${maxLength} bytes`);
  else if (typeof minLength === "number" && length < minLength)
    report.invalid(field, value, `${field} in body should be at least ${minLength} chars long`);
  else if (typeof pattern === "string" && tryRegexp(pattern)?.test(value) === false)
    report.invalid(field, value, `${field} in body should match '${pattern}'`);
  if (format && formatProblem(format, value))
    report.typeInvalid(field, value, `${field} in body must be of type ${format}: ${JSON.stringify(value)}`);
}

function checkNumber(
  report: Report,
  { schema }: ResolvedSchema,
  { value, field }: { value: number | bigint; field: string },
): void {
  const { minimum, maximum, multipleOf, exclusiveMinimum, exclusiveMaximum } = schema;
  if (isNumeric(multipleOf) && !isMultiple(Number(value), Number(multipleOf)))
    report.invalid(field, value, `${field} in body should be a multiple of ${multipleOf}`);
  else if (isNumeric(maximum) && (exclusiveMaximum === true ? value >= maximum : value > maximum))
    report.invalid(
      field,
      value,
      `${field} in body should be less than${exclusiveMaximum === true ? "" : " or equal to"} ${maximum}`,
    );
  else if (isNumeric(minimum) && (exclusiveMinimum === true ? value <= minimum : value < minimum))
    report.invalid(
      field,
      value,
      `${field} in body should be greater than${exclusiveMinimum === true ? "" : " or equal to"} ${minimum}`,
    );
}

function isMultiple(value: number, of: number): boolean {
  return Math.abs(value / of - Math.round(value / of)) <= 1e-9;
}

function checkList(
  report: Report,
  schema: ResolvedSchema,
  { value, field }: { value: readonly unknown[]; field: string },
): void {
  const { minItems, maxItems } = schema.schema;
  if (typeof minItems === "number" && value.length < minItems)
    report.invalid(field, value.length, `${field} in body should have at least ${minItems} items`);
  if (typeof maxItems === "number" && value.length > maxItems) report.tooMany(field, value.length, maxItems);
  const items = schema.items;
  for (let index = 0; items && index < value.length; index += 1)
    check(report, items, { value: value[index], field: `${field}[${index}]` });
  checkUnique(report, schema, { value, field });
}

function checkUnique(
  report: Report,
  schema: ResolvedSchema,
  { value, field }: { value: readonly unknown[]; field: string },
): void {
  if (schema.listType === "atomic") return;
  const seen = new Set<string>();
  for (const [index, item] of value.entries()) {
    const keys = schema.listKeys.map((key): [string, unknown] => [
      key,
      isObject(item) ? item[key] : undefined,
    ]);
    const identity =
      schema.listType === "map" ? Object.fromEntries(keys.filter(([, part]) => part !== undefined)) : item;
    const text = stringifyJson(identity);
    if (seen.has(text)) report.duplicate(`${field}[${index}]`, identity);
    seen.add(text);
  }
}

function checkObject(
  report: Report,
  schema: ResolvedSchema,
  { value, field, fits, shallow }: { value: JsonObject; field: string; fits?: unknown; shallow: boolean },
): void {
  const known = isObject(fits) ? fits : undefined;
  const { minProperties, maxProperties } = schema.schema;
  const size = Object.keys(value).length;
  if (typeof minProperties === "number" && size < minProperties)
    report.invalid(field, size, `${field} in body should have at least ${minProperties} properties`);
  if (typeof maxProperties === "number" && size > maxProperties) report.tooMany(field, size, maxProperties);
  if (!shallow)
    for (const [key, item] of Object.entries(value)) {
      const below = schema.field(key);
      if (below) check(report, below, { value: item, field: `${field}.${key}`, fits: known?.[key] });
    }
  for (const name of schema.schema.required ?? [])
    if (value[name] === undefined) report.required(field ? `${field}.${name}` : name);
}

/** allOf, anyOf, oneOf and not hold value validations only; structure never hides in them. */
function checkLogic(report: Report, schema: ResolvedSchema, { value, field }: Place): void {
  const { allOf, anyOf, oneOf, not } = schema.schema;
  if (!allOf && !anyOf && !oneOf && !not) return;
  const trial = (own: Schema): readonly FieldError[] => {
    const attempt = new Report();
    check(attempt, schema.branch(own), { value, field });
    return attempt.errors;
  };
  const refuse = (detail: string): void => report.invalid("<nil>", "", `"${field}" must ${detail}`);
  for (const own of allOf ?? []) check(report, schema.branch(own), { value, field });
  const any = (anyOf ?? []).map(trial);
  if (any.length > 0 && !any.some(isEmpty)) {
    refuse("validate at least one schema (anyOf)");
    report.errors.push(...(any[0] ?? []));
  }
  const one = (oneOf ?? []).map(trial);
  const valid = one.filter(isEmpty).length;
  if (one.length > 0 && valid !== 1) {
    const found = valid === 0 ? "Found none valid" : `Found ${valid} valid alternatives`;
    refuse(`validate one and only one schema (oneOf). ${found}`);
    if (valid === 0) report.errors.push(...(one[0] ?? []));
  }
  if (not && isEmpty(trial(not))) refuse("not validate the schema (not)");
}

function isEmpty(errors: readonly FieldError[]): boolean {
  return errors.length === 0;
}
