import type { KubeObject } from "../types.ts";
import { isAbsentWhenZero } from "./defaults.ts";
import { isKubeObject, isObject, type JsonObject } from "./json.ts";
import type { ResolvedSchema } from "./resolved-schema.ts";

/**
 * A built-in object as it comes back from etcd: kube-apiserver keeps it as protobuf, which tells no empty list from
 * none, so that a list which Go always writes is null again.
 */
export function storedForm(schema: ResolvedSchema, object: KubeObject): KubeObject {
  if (schema.custom) return object;
  const stored = storedFields(schema, object);
  return isKubeObject(stored) ? stored : object;
}

/** Returns the value itself where nothing changes. */
function storedValue(schema: ResolvedSchema, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!items) return value;
    const stored = value.map((item) => storedValue(items, item));
    return stored.some((item, index) => item !== value[index]) ? stored : value;
  }
  return isObject(value) ? storedFields(schema, value) : value;
}

function storedFields(schema: ResolvedSchema, value: JsonObject): JsonObject {
  let out = value;
  for (const [key, item] of Object.entries(value)) {
    if (typeof item !== "object" || item === null) continue;
    const below = schema.field(key);
    if (!below) continue;
    const isNothing = Array.isArray(item) && item.length === 0 && !isAbsentWhenZero(schema.typeName, key);
    const stored = isNothing ? null : storedValue(below, item);
    if (stored === item) continue;
    if (out === value) out = { ...value };
    out[key] = stored;
  }
  return out;
}
