import fc, { type Arbitrary } from "fast-check";
import { isObject, type Json, type JsonObject } from "../script.ts";
import { hintFor } from "./hints.ts";
import { fieldsOf, type Schemas, textsOf } from "./schemas.ts";

/** Below this many types only what is required is made. */
const fullDepth = 3;
const deepest = 8;

/** Values that a schema allows, from small pools, so that keys and values of several writers meet. */
export function valueFor(schemas: Schemas, node: JsonObject, depth = 0): Arbitrary<Json> {
  const { type, items, additionalProperties } = node;
  const choices = textsOf(node.enum);
  if (choices.length > 0) return fc.constantFrom(...choices);
  if (node.properties !== undefined) return structOf(schemas, node, depth);
  if (type === "array" && isObject(items)) return listValue(schemas, node, depth);
  if (isObject(additionalProperties)) return mapOf(schemas, additionalProperties, depth);
  return plainValue(node);
}

function plainValue(node: JsonObject): Arbitrary<Json> {
  const { type, format, title, minimum = 0, maximum = 5 } = node;
  if (typeof title === "string" && title.endsWith(".MicroTime"))
    return fc.constantFrom("2020-01-01T00:00:00.000000Z", "2021-02-03T04:05:06.123456Z");
  if (format === "date-time") return fc.constantFrom("2020-01-01T00:00:00Z", "2021-02-03T04:05:06Z");
  if (format === "byte") return fc.constantFrom("MQ==", "Mg==", "");
  if (format === "int-or-string" || node["x-kubernetes-int-or-string"] === true)
    return fc.constantFrom(1, 2, "25%", "http");
  if (Array.isArray(node.oneOf)) return fc.constantFrom("1", "500m", "1Gi", "0.5", "1e3", "1024Mi", 2, 1.5);
  if (type === "integer") return fc.integer({ min: Number(minimum), max: Number(maximum) });
  if (type === "number") return fc.constantFrom(1, 1.5, 0);
  if (type === "boolean") return fc.boolean();
  if (type === "string") return fc.constantFrom("a", "b", "c", "");
  return fc.constantFrom<Json>({ a: 1 }, { a: { b: [1, null, "x"] } }, [], "text");
}

function structOf(schemas: Schemas, node: JsonObject, depth: number): Arbitrary<Json> {
  const required = textsOf(node.required);
  const optional = fieldsOf(node).filter((name) => !required.includes(name));
  const must = fc.tuple(...required.map((name) => fieldOf(schemas, node, { name, depth })));
  if (optional.length === 0 || depth >= fullDepth) return must.map((entries) => Object.fromEntries(entries));
  const may = fc
    .noShrink(fc.constantFrom(...optional))
    .chain((name) => fieldOf(schemas, node, { name, depth }));
  const some = fc.uniqueArray(may, { maxLength: 3, selector: ([name]) => name });
  return fc.tuple(must, some).map((entries) => Object.fromEntries(entries.flat()));
}

interface Field {
  name: string;
  depth: number;
}

function fieldOf(schemas: Schemas, node: JsonObject, { name, depth }: Field): Arbitrary<[string, Json]> {
  const below = schemas.below(node, name) ?? {};
  const hint = hintFor(node, name, below);
  const value = hint ?? (depth > deepest ? fc.constant<Json>({}) : valueFor(schemas, below, depth + 1));
  return fc.tuple(fc.constant(name), value);
}

function mapOf(schemas: Schemas, values: JsonObject, depth: number): Arbitrary<Json> {
  const keys = fc.constantFrom("a", "b", "example.com/c");
  return fc.dictionary(keys, valueFor(schemas, schemas.follow(values), depth + 1), {
    maxKeys: 2,
    noNullPrototype: true,
  });
}

function listValue(schemas: Schemas, node: JsonObject, depth: number): Arbitrary<Json> {
  const items = schemas.below(node, 0) ?? {};
  const item = valueFor(schemas, items, depth + 1);
  const keys = textsOf(node["x-kubernetes-list-map-keys"]);
  const unique = keys.length > 0 || node["x-kubernetes-list-type"] === "set";
  const limits = { maxLength: 2, minLength: 0 };
  if (!unique) return fc.array(item, limits);
  return fc.uniqueArray(item, { ...limits, selector: (one) => keyOf(one, keys) });
}

function keyOf(item: Json, keys: readonly string[]): string {
  return JSON.stringify(isObject(item) && keys.length > 0 ? keys.map((key) => item[key] ?? null) : item);
}
