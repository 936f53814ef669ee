import { isObject } from "./json.ts";
import type { ResolvedSchema } from "./resolved-schema.ts";

export function jsonPatch(document: unknown, _operations: unknown): unknown {
  return document;
}

export function mergePatch(document: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = isObject(document) ? { ...document } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = mergePatch(merged[key], value);
  }
  return merged;
}

export function strategicMergePatch(_schema: ResolvedSchema, document: unknown, patch: unknown): unknown {
  return mergePatch(document, patch);
}
