import { tryRegexp } from "@capstan/formats/re2";
import { isObject, type JsonObject, listAt, objectAt, textAt } from "../../schema/json.ts";
import { customProblems } from "../../schema/validation/custom.ts";
import type { Report } from "../../schema/validation/report.ts";

/** Whether a schema is structural (KEP-1152), with the words of apiextensions' validation. */
export function schemaProblems(report: Report, schema: JsonObject, field: string): void {
  const type = textAt(schema, "type");
  if (!type) report.required(`${field}.type`, "must not be empty at the root");
  else if (type !== "object") report.invalid(`${field}.type`, type, "must be object at the root");
  checkKeywords(report, schema, field);
  checkChildren(report, schema, { field, isRoot: true });
}

const types = ["array", "boolean", "integer", "number", "object", "string"];

/** Deeper schemas cannot be written by hand; the bound keeps a hostile one from exhausting the stack. */
const deepest = 100;

function checkStructure(
  report: Report,
  schema: unknown,
  place: { field: string; of: string; depth: number },
): void {
  const { field, of, depth } = place;
  if (!isObject(schema)) return;
  if (depth > deepest) {
    report.tooLong(field, `may not be nested deeper than ${deepest} levels`);
    return;
  }
  const free =
    schema["x-kubernetes-preserve-unknown-fields"] === true || schema["x-kubernetes-int-or-string"] === true;
  const type = textAt(schema, "type");
  if (type) report.oneOf(`${field}.type`, type, types);
  else if (!free && !textAt(schema, "$ref"))
    report.required(`${field}.type`, `must not be empty for specified ${of}`);
  checkKeywords(report, schema, field);
  checkChildren(report, schema, { field, isRoot: false, depth });
  checkDefault(report, schema, field);
}

function checkChildren(
  report: Report,
  schema: JsonObject,
  { field, isRoot, depth = 0 }: { field: string; isRoot: boolean; depth?: number },
): void {
  const properties = objectAt(schema, "properties") ?? {};
  for (const [name, child] of Object.entries(properties)) {
    const at = `${field}.properties[${name}]`;
    if (isRoot && name === "metadata" && textAt(child, "type") !== "object")
      report.invalid(`${at}.type`, textAt(child, "type"), "must be object");
    else checkStructure(report, child, { field: at, of: "object fields", depth: depth + 1 });
  }
  const values = schema.additionalProperties;
  if (isObject(values)) {
    if (Object.keys(properties).length)
      report.forbidden(
        `${field}.additionalProperties`,
        "additionalProperties and properties are mutual exclusive",
      );
    else
      checkStructure(report, values, {
        field: `${field}.additionalProperties`,
        of: "object fields",
        depth: depth + 1,
      });
  }
  if (textAt(schema, "type") === "array" && !isObject(schema.items))
    report.required(`${field}.items`, "must be specified");
  checkStructure(report, schema.items, { field: `${field}.items`, of: "array items", depth: depth + 1 });
  for (const logic of ["allOf", "anyOf", "oneOf"])
    for (const [index, branch] of listAt(schema, logic).entries())
      checkBranch(report, branch, `${field}.${logic}[${index}]`);
  checkBranch(report, schema.not, `${field}.not`);
}

const structuralOnly = ["type", "description", "default", "nullable", "additionalProperties"];

/** Inside allOf, anyOf, oneOf and not there may be value validations only, but for int-or-string. */
function checkBranch(report: Report, branch: unknown, field: string): void {
  if (!isObject(branch)) return;
  const isIntOrString =
    field.match(/\.anyOf\[[01]\]$/) && ["integer", "string"].includes(textAt(branch, "type"));
  for (const name of structuralOnly) {
    if (branch[name] === undefined || (name === "type" && isIntOrString)) continue;
    report.forbidden(`${field}.${name}`, "must be empty to be structural");
  }
  for (const [name, child] of Object.entries(objectAt(branch, "properties") ?? {}))
    checkBranch(report, child, `${field}.properties[${name}]`);
  checkBranch(report, branch.items, `${field}.items`);
  for (const logic of ["allOf", "anyOf", "oneOf"])
    for (const [index, inner] of listAt(branch, logic).entries())
      checkBranch(report, inner, `${field}.${logic}[${index}]`);
}

const unsupported = [
  "$ref",
  "definitions",
  "dependencies",
  "deprecated",
  "patternProperties",
  "readOnly",
  "writeOnly",
];

function checkKeywords(report: Report, schema: JsonObject, field: string): void {
  for (const name of unsupported)
    if (schema[name] !== undefined) report.forbidden(`${field}.${name}`, `${name} is not supported`);
  const pattern = textAt(schema, "pattern");
  if (pattern && !tryRegexp(pattern))
    report.invalid(
      `${field}.pattern`,
      pattern,
      `must be a valid regular expression, but isn't: error parsing regexp: ${regexProblem(pattern)}`,
    );
  checkListKeywords(report, schema, field);
}

function regexProblem(pattern: string): string {
  const opened = pattern.replaceAll(/\\.|\[[^\]]*\]/g, "");
  const missing = opened.split("(").length > opened.split(")").length;
  return `${missing ? "missing closing )" : "invalid syntax"}: \`${pattern}\``;
}

const listTypes = ["atomic", "set", "map"];

function checkListKeywords(report: Report, schema: JsonObject, field: string): void {
  const listType = textAt(schema, "x-kubernetes-list-type");
  const keys = listAt(schema, "x-kubernetes-list-map-keys").map(String);
  if (listType) report.oneOf(`${field}.x-kubernetes-list-type`, listType, listTypes);
  if (listType !== "map") return;
  if (keys.length === 0)
    report.required(
      `${field}.x-kubernetes-list-map-keys`,
      "must not be empty if x-kubernetes-list-type is map",
    );
  const items = objectAt(schema, "items");
  const required = listAt(items, "required");
  for (const key of keys) {
    const property = objectAt(items, "properties", key);
    if (property && property.default === undefined && !required.includes(key))
      report.required(
        `${field}.items.properties[${key}].default`,
        "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
      );
  }
}

function checkDefault(report: Report, schema: JsonObject, field: string): void {
  if (schema.default === undefined) return;
  for (const { reason, message } of customProblems(schema, schema.default))
    report.errors.push({ reason, message, field: `${field}.default` });
}
