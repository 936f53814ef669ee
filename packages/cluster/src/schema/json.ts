import type { KubeObject } from "../types.ts";

/** Reading values of unknown shape. */
export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Integers beyond 2^53 are bigint (formats parseJson). */
export function isNumeric(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

export function isKubeObject(value: unknown): value is KubeObject {
  return isObject(value) && isObject(value.metadata);
}

export function objectAt(value: unknown, ...path: readonly string[]): JsonObject | undefined {
  const found = valueAt(value, ...path);
  return isObject(found) ? found : undefined;
}

export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found : [];
}

export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = valueAt(value, ...path);
  return typeof found === "string" ? found : "";
}

export function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  const found = valueAt(value, ...path);
  return typeof found === "number" ? found : undefined;
}

export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  let here = value;
  for (const name of path) {
    if (!isObject(here)) return undefined;
    here = here[name];
  }
  return here;
}

export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]));
}

/** The value with the keys of all its objects in the order in which Go writes maps. */
export function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sortedKeys(value[key])]));
}
