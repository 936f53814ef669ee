import { parseQuantity } from "@capstan/formats";

/** Whether two values are the same amount ("1500m" and "1.5"). */
export function equalQuantities(left: unknown, right: unknown): boolean {
  const exact = amountOf(left);
  return exact !== undefined && exact === amountOf(right);
}

function amountOf(value: unknown): bigint | undefined {
  const isAmount = typeof value === "string" || typeof value === "number" || typeof value === "bigint";
  return isAmount ? parseQuantity(String(value))?.nanos : undefined;
}

/** Fields below which values are quantities in the built-in kinds. */
const quantityParents = new Set([
  "limits",
  "requests",
  "capacity",
  "allocatable",
  "hard",
  "default",
  "defaultRequest",
  "max",
  "min",
  "maxLimitRequestRatio",
  "allocatedResources",
  "overhead",
  "podFixed",
]);
const quantityFields = new Set(["sizeLimit", "divisor", "averageValue", "storage", "value"]);

/** Whether a field of a built-in kind holds a quantity, by the names on its path. */
export function isQuantityField(path: readonly string[]): boolean {
  const last = path.at(-1);
  const parent = path.at(-2);
  if (parent !== undefined && quantityParents.has(parent)) return true;
  if (last === undefined || !quantityFields.has(last)) return false;
  // "value" is a quantity only in the targets of an autoscaler.
  return last !== "value" || parent === "target";
}
