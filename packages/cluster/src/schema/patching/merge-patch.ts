import { isObject, type JsonObject } from "../json.ts";

/** RFC 7386. */
export function mergePatch(document: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged: JsonObject = isObject(document) ? { ...document } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else if (key === "__proto__") continue;
    else merged[key] = mergePatch(merged[key], value);
  }
  return merged;
}
