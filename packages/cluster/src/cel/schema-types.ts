import type { Environment } from "@marcbachmann/cel-js";
import { isRecord, type Schema } from "../types.ts";
import { readDuration } from "./duration.ts";

/** Turns a value as stored into what expressions work with. */
export type Convert = (value: unknown) => unknown;

export interface Typed {
  /** The library's name of the type. */
  type: string;
  convert: Convert;
}

interface Building {
  environment: Environment;
  nameOf: (property: string) => string;
}

/** Declares the types of a structural schema (apiserver pkg/cel/common/schemas.go SchemaDeclType). */
export function declareSchema(
  environment: Environment,
  schema: Schema,
  names: "of a resource" | "of a part" | "as written",
): Typed {
  const nameOf = names === "as written" ? (name: string) => name : escapeName;
  return typeOf({ environment, nameOf }, names === "of a resource" ? withMetadata(schema) : schema);
}

/** Of metadata rules see the name only (model.WithTypeAndObjectMeta). */
function withMetadata(schema: Schema): Schema {
  const text = { type: "string" };
  const metadata = { type: "object", properties: { name: text, generateName: text } };
  return { ...schema, properties: { ...schema.properties, apiVersion: text, kind: text, metadata } };
}

function typeOf(building: Building, schema: Schema): Typed {
  if (schema["x-kubernetes-int-or-string"] === true) return anything;
  switch (schema.type) {
    case "boolean":
      return { type: "bool", convert: same };
    case "integer":
      return {
        type: "int",
        convert: (value) => (typeof value === "number" ? BigInt(Math.trunc(value)) : value),
      };
    case "number":
      return { type: "double", convert: (value) => (typeof value === "bigint" ? Number(value) : value) };
    case "string":
      return textType(schema.format);
    case "array":
      return listType(building, schema);
    case "object":
      return objectType(building, schema);
    default:
      return anything;
  }
}

const same: Convert = (value) => value;
const anything: Typed = { type: "dyn", convert: toDynamic };

/** A value of no declared type: integers are int, other numbers double. */
export function toDynamic(value: unknown): unknown {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(toDynamic);
  if (!isRecord(value)) return value;
  return new Map(Object.entries(value).map(([key, item]) => [key, toDynamic(item)]));
}

function textType(format: unknown): Typed {
  const guarded =
    (read: (text: string) => unknown): Convert =>
    (value) =>
      typeof value === "string" ? read(value) : value;
  switch (format) {
    case "date-time":
    case "date":
      return { type: "google.protobuf.Timestamp", convert: guarded((text) => new Date(text)) };
    case "duration":
      return { type: "google.protobuf.Duration", convert: guarded(readDuration) };
    case "byte":
      return { type: "bytes", convert: guarded((text) => Buffer.from(text, "base64")) };
    default:
      return { type: "string", convert: same };
  }
}

function listType(building: Building, { items, "x-kubernetes-list-type": listKind }: Schema): Typed {
  const item = items === undefined ? anything : typeOf(building, items);
  const isScalarSet = listKind === "set";
  return {
    type: `list<${item.type}>`,
    convert(value) {
      if (!Array.isArray(value)) return value;
      const converted = value.map(item.convert);
      return isScalarSet ? new Set(converted) : converted;
    },
  };
}

function objectType(building: Building, schema: Schema): Typed {
  const { properties, additionalProperties } = schema;
  if (properties !== undefined && Object.keys(properties).length > 0)
    return messageType(building, properties);
  // Of unknown fields rules see nothing, whether they are kept or not.
  if (!isSchema(additionalProperties)) return messageType(building, {});
  const item = typeOf(building, additionalProperties);
  return {
    type: `map<string, ${item.type}>`,
    convert: (value) =>
      isRecord(value) ? new Map(Object.entries(value).map(([key, one]) => [key, item.convert(one)])) : value,
  };
}

function isSchema(value: Schema | boolean | undefined): value is Schema {
  return typeof value === "object";
}

/** How many types an environment has of its own. */
const counts = new WeakMap<Environment, number>();

function messageType(building: Building, properties: Readonly<Record<string, Schema>>): Typed {
  const count = (counts.get(building.environment) ?? 0) + 1;
  counts.set(building.environment, count);
  const name = `object${count}`;
  const fields = new Map(
    Object.entries(properties).map(([key, schema]) => [
      key,
      { name: building.nameOf(key), ...typeOf(building, schema) },
    ]),
  );
  class Message {
    [field: string]: unknown;
  }
  const declared = [...fields.values()].map((field) => [field.name, field.type]);
  building.environment.registerType(name, { ctor: Message, fields: Object.fromEntries(declared) });
  building.environment
    .registerOperator(`${name} == ${name}`, sameMessage)
    .registerOperator(`${name} == null`, (value: unknown) => value === null);
  return {
    type: name,
    convert(value) {
      if (!isRecord(value)) return value;
      const message = new Message();
      for (const [key, item] of Object.entries(value)) {
        const field = fields.get(key);
        if (field !== undefined && item !== undefined && item !== null)
          message[field.name] = field.convert(item);
      }
      return message;
    },
  };
}

function sameMessage(left: unknown, right: unknown): boolean {
  return plainText(left) === plainText(right);
}

function plainText(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item === "bigint") return `${item}n`;
    if (item instanceof Set) return [...item].map(plainText).sort();
    if (item instanceof Map) return [...item].sort(byKey);
    if (!isRecord(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(byKey));
  });
}

function byKey([left]: [unknown, unknown], [right]: [unknown, unknown]): number {
  return String(left) < String(right) ? -1 : 1;
}

const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

/** Property names that are no identifiers (apiserver pkg/cel/escaping.go Escape). */
function escapeName(name: string): string {
  if (reserved.has(name)) return `__${name}__`;
  return name
    .replaceAll("__", "__underscores__")
    .replaceAll(".", "__dot__")
    .replaceAll("-", "__dash__")
    .replaceAll("/", "__slash__");
}
