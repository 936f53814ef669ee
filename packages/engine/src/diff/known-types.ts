import { isRecord, parseNanoseconds } from "@capstan/formats";
import type { KnownTypeField } from "./diff-rules.ts";
import { equalQuantities, isQuantityField } from "./quantity-fields.ts";

/** How values at a place are written: as in a Go struct, whose quantities are known by name, or as one of these. */
export type WrittenAs = "struct" | "quantity" | "duration";

/** What is known of a place in a custom kind; lists on the way count for nothing. */
export function writtenAs(fields: readonly KnownTypeField[], path: readonly string[]): WrittenAs | undefined {
  if (fields.length === 0) return undefined;
  const names = path.filter((part) => !part.startsWith("["));
  const known = fields.find(({ field }) => field.every((name, at) => names[at] === name));
  if (!known) return undefined;
  const below = names.length - known.field.length;
  if (known.type === "core/v1/ResourceList") return below === 1 ? "quantity" : undefined;
  if (known.type === "core/Quantity") return below === 0 ? "quantity" : undefined;
  if (known.type === "meta/v1/Duration") return below === 0 ? "duration" : undefined;
  return "struct";
}

/** Whether two values that are not equal as they stand are one to Kubernetes' types. */
export function saysTheSameAs(
  type: WrittenAs,
  { desired, live, path }: { desired: unknown; live: unknown; path: readonly string[] },
): boolean {
  if (live === undefined || live === null) return isEmptyValue(desired);
  if (type === "duration") return equalDurations(desired, live);
  return (type === "quantity" || isQuantityField(path)) && equalQuantities(desired, live);
}

function equalDurations(left: unknown, right: unknown): boolean {
  if (typeof left !== "string" || typeof right !== "string") return false;
  const exact = parseNanoseconds(left);
  return exact !== undefined && exact === parseNanoseconds(right);
}

/** Values that Go's omitempty leaves out. */
export function isEmptyValue(value: unknown): boolean {
  if (value === false || value === 0 || value === "" || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.values(value).every(isEmptyValue);
}
