/** Kubernetes quantities ("1500m", "1.5", "2Gi") as exact numbers: apimachinery pkg/api/resource. */

const pattern = /^([+-]?)(\d*)(?:\.(\d*))?(?:([eE])([+-]?\d+)|(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei))?$/;

const decimalPower: { readonly [suffix: string]: number } = {
  n: -9,
  u: -6,
  m: -3,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binaryPower: { readonly [suffix: string]: bigint } = {
  Ki: 10n,
  Mi: 20n,
  Gi: 30n,
  Ti: 40n,
  Pi: 50n,
  Ei: 60n,
};

/** In billionths, the finest unit there is; nothing when the value is no quantity. Smaller parts round up. */
export function readQuantity(value: unknown): bigint | undefined {
  if (typeof value === "number" || typeof value === "bigint") return readQuantity(String(value));
  if (typeof value !== "string" || value.length > 64) return undefined;
  const match = pattern.exec(value);
  if (match === null) return undefined;
  const [, sign, whole = "", fraction = "", , exponent, suffix = ""] = match;
  if (whole === "" && fraction === "") return undefined;
  const power = exponent === undefined ? (decimalPower[suffix] ?? 0) : Number(exponent);
  if (Math.abs(power) > 40) return undefined;
  const digits = BigInt(whole + fraction) << (binaryPower[suffix] ?? 0n);
  const size = scale(digits, power + 9 - fraction.length);
  return sign === "-" ? -size : size;
}

function scale(digits: bigint, power: number): bigint {
  if (power >= 0) return digits * 10n ** BigInt(power);
  const divisor = 10n ** BigInt(-power);
  return (digits + divisor - 1n) / divisor;
}

export function equalQuantities(left: unknown, right: unknown): boolean {
  const exact = readQuantity(left);
  return exact !== undefined && exact === readQuantity(right);
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
