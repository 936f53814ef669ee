import { isObject, sameJson } from "../../schema/json.ts";
import { configKey } from "../../schema/validation/names.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";

export const largest = 1024 * 1024;

export function validateImmutable(
  report: Report,
  object: KubeObject,
  { previous, fields }: { previous: KubeObject | undefined; fields: readonly string[] },
): void {
  if (previous?.immutable !== true) return;
  const detail = "field is immutable when `immutable` is set";
  if (object.immutable !== true) report.forbidden("immutable", detail);
  for (const field of fields)
    if (!sameJson(object[field], storedMap(previous[field]))) report.forbidden(field, detail);
}

/** An empty map is none in the store, and another one than none in a request. */
function storedMap(value: unknown): unknown {
  return isObject(value) && Object.keys(value).length === 0 ? undefined : value;
}

export function validateKeys(report: Report, values: unknown, field: string): number {
  let size = 0;
  for (const [key, value] of Object.entries(isObject(values) ? values : {})) {
    report.syntax(`${field}[${key}]`, key, configKey(key));
    const text = `${value}`;
    size += field === "data" ? Buffer.byteLength(text) : Buffer.byteLength(text, "base64");
  }
  return size;
}
