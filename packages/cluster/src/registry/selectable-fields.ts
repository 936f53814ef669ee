import { valueAt } from "../schema/json.ts";
import type { KubeObject } from "../types.ts";

/** The text of a field, as a field selector compares it. */
export type FieldReader = (object: KubeObject) => string;

/** Readers of fields that are what they are called. */
export function fieldsAt(...paths: readonly string[]): Record<string, FieldReader> {
  return Object.fromEntries(paths.map((path) => [path, fieldAt(path)]));
}

/** `empty` is what an absent field is taken for. */
export function fieldAt(path: string, empty = ""): FieldReader {
  const parts = path.split(".");
  return (object) => asText(valueAt(object, ...parts)) || empty;
}

function asText(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}
