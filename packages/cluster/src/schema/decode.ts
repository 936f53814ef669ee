import { canonicalQuantity } from "@capstan/formats";
import { ApiError, type KubeObject, type ResourceInfo } from "../types.ts";
import { goTypes } from "./go-types.ts";
import { isNumeric, isObject, type JsonObject } from "./json.ts";
import type { ResolvedSchema } from "./resolved-schema.ts";

/**
 * Why Go could not decode a built-in object, as the 400 that kube-apiserver answers; empty when it could. To be
 * called before pruning and defaults. Custom objects are checked by validateObject; of them only metadata is typed, and
 * what stands at the same place in that of `fits` is right.
 */
export function decodeProblems(
  schema: ResolvedSchema,
  info: ResourceInfo,
  { object, fits }: { object: KubeObject; fits?: KubeObject | undefined },
): ApiError[] {
  const problem = schema.custom ? metadataProblem(schema, object, fits) : walk(schema, object, outside);
  if (!problem) return [];
  const { kind, version } = info;
  return [
    new ApiError(
      400,
      "BadRequest",
      `${kind} in version "${version}" cannot be handled as a ${kind}: ${problem}`,
    ),
  ];
}

function metadataProblem(
  schema: ResolvedSchema,
  { metadata }: KubeObject,
  fits: KubeObject | undefined,
): string | undefined {
  const typed = schema.property("metadata");
  return typed && walk(typed, metadata, { ...outside, fits: fits?.metadata });
}

interface Place {
  /** The Go struct that holds the field. */
  owner: string;
  path: readonly Field[];
  /** Has no problem where it stands at the same place. */
  fits?: Readonly<JsonObject> | undefined;
}

interface Field {
  /** The struct's name among the definitions. */
  type: string;
  key: string;
}

const outside: Place = { owner: "", path: [] };

const opaque = new Set(["RawExtension", "FieldsV1", "JSON", "JSONSchemaProps", "Patch"]);

function walk(schema: ResolvedSchema, value: unknown, place: Place): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (schema.goName === "JSONSchemaPropsOrArray" || opaque.has(schema.goName)) return undefined;
  if (schema.goName === "Quantity") return quantityProblem(value);
  if (schema.schema.format === "int-or-string") {
    return typeof value === "string" ? undefined : integerProblem(schema, value, place);
  }
  switch (schema.type) {
    case "object":
      return isObject(value) ? walkObject(schema, value, place) : mismatch(value, goTypeOf(schema), place);
    case "array":
      return Array.isArray(value)
        ? walkItems(schema, value, place)
        : mismatch(value, goTypeOf(schema), place);
    case "string":
      return typeof value === "string" ? textProblem(schema, value) : textMismatch(schema, value, place);
    case "boolean":
      return typeof value === "boolean" ? undefined : mismatch(value, "bool", place);
    case "integer":
      return integerProblem(schema, value, place);
    case "number":
      return isNumeric(value) ? undefined : mismatch(value, "float64", place);
    default:
      return undefined;
  }
}

function walkObject(schema: ResolvedSchema, value: JsonObject, place: Place): string | undefined {
  const isStruct = schema.fieldNames.length > 0;
  for (const [key, item] of Object.entries(value)) {
    const field = schema.field(key);
    if (!field || (typeof item === "object" && item === place.fits?.[key])) continue;
    const below = isStruct
      ? { owner: schema.goName, path: [...place.path, { type: schema.typeName, key }] }
      : place;
    const problem = walk(field, item, below);
    if (problem) return problem;
  }
  return undefined;
}

function walkItems(schema: ResolvedSchema, items: readonly unknown[], place: Place): string | undefined {
  const below = schema.items;
  if (!below) return undefined;
  for (const item of items) {
    const problem = walk(below, item, place);
    if (problem) return problem;
  }
  return undefined;
}

function integerProblem(schema: ResolvedSchema, value: unknown, place: Place): string | undefined {
  const type = schema.schema.format === "int64" || schema.schema.format === undefined ? "int64" : "int32";
  if (typeof value === "bigint") return undefined;
  if (typeof value !== "number") return mismatch(value, type, place);
  const inRange = type === "int64" || (value >= -(2 ** 31) && value < 2 ** 31);
  if (Number.isInteger(value) && inRange) return undefined;
  return `json: cannot unmarshal number ${value} into Go struct field ${fieldName(place)} of type ${type}`;
}

function quantityProblem(value: unknown): string | undefined {
  const isText = typeof value === "string" || typeof value === "number";
  if (isText && canonicalQuantity(String(value)) !== undefined) return undefined;
  return "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
}

function textProblem(schema: ResolvedSchema, value: string): string | undefined {
  if (schema.schema.format === "byte") return base64Problem(value);
  if (schema.schema.format !== "date-time") return undefined;
  const { wanted, shape } = schema.goName === "MicroTime" ? times.micro : times.second;
  if (shape.test(value) && !Number.isNaN(Date.parse(value))) return undefined;
  const quoted = JSON.stringify(value);
  return `parsing time ${quoted} as "${wanted}": cannot parse ${quoted} as "2006"`;
}

const times = {
  micro: {
    wanted: "2006-01-02T15:04:05.000000Z07:00",
    shape: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(Z|[+-]\d\d:\d\d)$/,
  },
  second: {
    wanted: "2006-01-02T15:04:05Z07:00",
    shape: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
  },
} as const;

function base64Problem(value: string): string | undefined {
  const plain = value.replaceAll(/[\r\n]/g, "");
  if (/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(plain)) return undefined;
  const at = plain.search(/[^A-Za-z0-9+/]/);
  return `illegal base64 data at input byte ${at < 0 ? plain.length - (plain.length % 4) : at}`;
}

function textType(schema: ResolvedSchema): string {
  return schema.schema.format === "byte" ? "[]uint8" : "string";
}

function goTypeOf(schema: ResolvedSchema): string {
  if (schema.typeName) {
    const [version = "", name = ""] = schema.typeName.split(".").slice(-2);
    return `${version}.${name}`;
  }
  switch (schema.type) {
    case "boolean":
      return "bool";
    case "integer":
      return schema.schema.format === "int32" ? "int32" : "int64";
    case "array":
      return `[]${schema.items ? goTypeOf(schema.items) : "interface {}"}`;
    case "object":
      if (schema.values?.goName === "Quantity") return "v1.ResourceList";
      return `map[string]${schema.values ? goTypeOf(schema.values) : "interface {}"}`;
    default:
      return textType(schema);
  }
}

/** Bytes may be written as a list of numbers too. */
function textMismatch(schema: ResolvedSchema, value: unknown, place: Place): string | undefined {
  if (schema.schema.format !== "byte" || !Array.isArray(value))
    return mismatch(value, textType(schema), place);
  const wrong = value.find((item) => typeof item !== "number");
  return wrong === undefined ? undefined : mismatch(wrong, "uint8", place);
}

function mismatch(value: unknown, type: string, place: Place): string {
  const named = namedType(goTypes().named[nameOf(place.path.at(-1))], type);
  return `json: cannot unmarshal ${jsonTypeOf(value)} into Go struct field ${fieldName(place)} of type ${named}`;
}

/** What is known of a field may be said of its items. */
function namedType(ofField: string | undefined, type: string): string {
  const [holder = ""] = /^(?:\[\]|map\[string\])/.exec(ofField ?? "") ?? [];
  return ofField === undefined || type.startsWith(holder) ? (ofField ?? type) : ofField.slice(holder.length);
}

const nameOf = (field: Field | undefined): string => `${field?.type}.${field?.key}`;

/** With the structs that Go embeds, which do not show in JSON. */
function fieldName({ owner, path }: Place): string {
  const names = path.flatMap((field) => [
    ...(goTypes().embedded[nameOf(field)]?.split(".") ?? []),
    field.key,
  ]);
  return `${owner}.${names.join(".")}`;
}

function jsonTypeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return typeof value === "bigint" ? "number" : typeof value;
}
