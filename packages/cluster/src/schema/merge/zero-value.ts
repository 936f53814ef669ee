import { isAbsentWhenZero, staticDefaults } from "../defaults.ts";
import { isObject, type JsonObject } from "../json.ts";
import type { ResolvedSchema } from "../resolved-schema.ts";

const known = new WeakMap<ResolvedSchema, JsonObject>();

/**
 * What Go writes for an object with nothing in it: structs that are no pointers, and fields without omitempty.
 * The first update of an object is compared with this, so these fields do not count as added. OpenAPI tells
 * the first by a default of {} beside a reference; the second shows in what a real server answers.
 */
export function zeroValueOf(schema: ResolvedSchema): JsonObject {
  let zero = known.get(schema);
  if (!zero) {
    zero = schema.custom ? {} : makeZero(schema);
    known.set(schema, zero);
  }
  return zero;
}

function makeZero(schema: ResolvedSchema): JsonObject {
  const zero: JsonObject = {};
  const required = new Set(schema.schema.required ?? []);
  for (const name of schema.fieldNames) {
    const own = schema.schema.properties?.[name];
    const child = schema.property(name);
    if (!own || !child) continue;
    const fallback = own.default;
    const written = staticDefaults(schema.typeName)[name];
    if (isObject(fallback) && child.typeName) zero[name] = zeroValueOf(child);
    else if (written === null || written === "" || written === 0) zero[name] = written;
    else if (required.has(name) && !isAbsentWhenZero(schema.typeName, name)) zero[name] = fallback ?? null;
  }
  return zero;
}
