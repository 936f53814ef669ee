import { readFileSync } from "node:fs";
import { join } from "node:path";
import { canonicalQuantity } from "@capstan/formats";
import type { KubeObject } from "../types.ts";
import { dataFolder } from "./builtin-definitions.ts";
import { isKubeObject, isObject, type JsonObject } from "./json.ts";
import type { ResolvedSchema } from "./resolved-schema.ts";

/**
 * Changes its argument, a fresh copy of one struct whose nested values still belong to the caller. Runs before
 * the static defaults of the struct and of what is below it.
 */
export type ConditionalDefault = (fields: JsonObject) => void;

/** By type name; tools/generate-kube-schemas.ts prints the list of what has to be covered by the records of kinds. */
export type ConditionalDefaults = Readonly<Record<string, ConditionalDefault>>;

interface Tables {
  fields: Readonly<Record<string, JsonObject>>;
  zeroIsAbsent: ReadonlyMap<string, ReadonlySet<string>>;
}

interface Defaulting extends Tables {
  conditional: ConditionalDefaults;
}

let tables: Tables | undefined;

/**
 * What the API server makes of an object while decoding it: null and (where Go says omitempty) zero values
 * vanish, quantities and times get their one spelling, and defaults appear. The static defaults were read off a
 * real server (data/defaults.json); those that depend on other fields come with the records of the kinds.
 */
export function withDefaults(
  schema: ResolvedSchema,
  conditional: ConditionalDefaults,
  object: KubeObject,
): KubeObject {
  tables ??= readTables();
  const filled = fill(schema, object, { ...tables, conditional });
  return isKubeObject(filled) ? filled : object;
}

/** The same of a custom resource: what stands at the same place in `fits` has them. */
export function withDefaultsSince(
  schema: ResolvedSchema,
  { object, fits }: { object: KubeObject; fits: KubeObject },
): KubeObject {
  tables ??= readTables();
  const filled = fillCustom(schema, { value: object, fits }, { ...tables, conditional: {} });
  return isKubeObject(filled) ? filled : object;
}

/** What appears in a struct of this type where the field is left out, whatever the other fields say. */
export function staticDefaults(typeName: string): Readonly<JsonObject> {
  tables ??= readTables();
  return tables.fields[typeName] ?? {};
}

function readTables(): Tables {
  const read = (file: string) => JSON.parse(readFileSync(join(dataFolder, file), "utf8"));
  const zero: Record<string, string[]> = read("zero-is-absent.json");
  return {
    fields: read("defaults.json"),
    zeroIsAbsent: new Map(Object.entries(zero).map(([type, fields]) => [type, new Set(fields)])),
  };
}

const opaque = new Set(["FieldsV1", "RawExtension", "JSON", "JSONSchemaProps"]);

function fill(node: ResolvedSchema, value: unknown, from: Defaulting): unknown {
  if (typeof value === "object") {
    if (Array.isArray(value)) return node.items ? value.map((item) => fillItem(node, item, from)) : value;
    if (!isObject(value) || opaque.has(node.goName)) return value;
    if (node.custom) return fillCustom(node, { value, fits: noFields }, from);
    return node.schema.properties ? fillStruct(node, value, from) : fillMap(node, value, from);
  }
  if (node.goName === "Quantity") return canonicalQuantity(String(value)) ?? value;
  if (node.schema.format === "date-time" && typeof value === "string") return canonicalTime(node, value);
  return value;
}

function fillItem(node: ResolvedSchema, item: unknown, from: Defaulting): unknown {
  if (!node.items) return item;
  if (item === null && !node.custom) return node.items.type === "string" ? "" : fill(node.items, {}, from);
  return fill(node.items, item, from);
}

/** Whether Go leaves the field out where it is empty (omitempty). */
export function isAbsentWhenZero(typeName: string, field: string): boolean {
  tables ??= readTables();
  if (`${typeName}.${field}` === "io.k8s.api.networking.v1.IPAddressSpec.parentRef") return true;
  return tables.zeroIsAbsent.get(typeName)?.has(field) ?? false;
}

function fillStruct(node: ResolvedSchema, value: JsonObject, from: Defaulting): JsonObject {
  const out: JsonObject = {};
  const zeroIsAbsent = from.zeroIsAbsent.get(node.typeName);
  const isMeta = node.goName === "ObjectMeta";
  for (const key of Object.keys(value)) {
    const item = value[key];
    if (item === null || item === undefined) continue;
    if ((isMeta || zeroIsAbsent?.has(key)) && isZero(item) && key !== "deletionGracePeriodSeconds") continue;
    out[key] = item;
  }
  from.conditional[node.typeName]?.(out);
  const defaults = from.fields[node.typeName];
  for (const key in defaults) if (!Object.hasOwn(out, key)) out[key] = ownCopy(defaults[key]);
  for (const key of Object.keys(out)) {
    if (isMeta && key === "managedFields") continue;
    const child = node.property(key);
    if (child && out[key] !== null) out[key] = fill(child, out[key], from);
  }
  return out;
}

function fillMap(node: ResolvedSchema, value: JsonObject, from: Defaulting): JsonObject {
  const values = node.values;
  if (!values) return value;
  const out: JsonObject = {};
  for (const [key, item] of Object.entries(value))
    out[key] = item === null && values.type === "string" ? "" : fill(values, item, from);
  return out;
}

const noFields: Readonly<JsonObject> = {};

/**
 * Structural defaulting of custom resources: apiextensions-apiserver/pkg/apiserver/schema/defaulting. The value itself
 * where nothing is added.
 */
function fillCustom(
  node: ResolvedSchema,
  { value, fits }: { value: JsonObject; fits: Readonly<JsonObject> },
  from: Defaulting,
): JsonObject {
  let out = value;
  const own = () => {
    if (out === value) out = { ...value };
    return out;
  };
  const put = (name: string, child: ResolvedSchema, item: unknown) => {
    const known = fits[name];
    if (typeof item === "object" && item === known) return;
    const isPair = child.custom && isObject(item) && isObject(known);
    const filled = isPair ? fillCustom(child, { value: item, fits: known }, from) : fill(child, item, from);
    if (filled !== item) own()[name] = filled;
  };
  for (const name of Object.keys(value)) {
    const item = value[name];
    const child = node.field(name);
    if (child === undefined) continue;
    if (item !== null) put(name, child, item);
    else if (child.custom && child.schema.nullable !== true && node.property(name)) delete own()[name];
  }
  for (const name of node.defaultedNames) {
    const child = node.property(name);
    if (child === undefined || out[name] !== undefined) continue;
    own()[name] = ownCopy(child.schema.default);
    if (out[name] !== null) put(name, child, out[name]);
  }
  return out;
}

function ownCopy(value: unknown): unknown {
  return typeof value === "object" ? structuredClone(value) : value;
}

export function isZero(value: unknown): boolean {
  if (value === "" || value === 0 || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** As nearly all are: of a day that each month has. */
const seconds =
  "[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]";
const canonicalSeconds = new RegExp(`^${seconds}Z$`);
const canonicalMicroseconds = new RegExp(`^${seconds}\\.[0-9]{6}Z$`);

/** Of the second that it is, most are. */
let lastSeconds = "";

/** metav1.Time is written in UTC to the second, MicroTime to the microsecond. */
function canonicalTime(node: ResolvedSchema, text: string): string {
  const isMicro = node.goName === "MicroTime";
  if (!isMicro && text === lastSeconds) return text;
  if ((isMicro ? canonicalMicroseconds : canonicalSeconds).test(text)) {
    if (!isMicro) lastSeconds = text;
    return text;
  }
  const match = rfc3339.exec(text);
  const at = match ? Date.parse(text) : Number.NaN;
  if (node.custom || Number.isNaN(at)) return text;
  const toSeconds = new Date(at).toISOString().slice(0, 19);
  if (!isMicro) return `${toSeconds}Z`;
  return `${toSeconds}.${(match?.[1] ?? "").slice(1, 7).padEnd(6, "0")}Z`;
}
