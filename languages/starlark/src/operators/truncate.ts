import { StarlarkError } from "../script-error.ts";
import { typeOf, type Value } from "../values/value.ts";

/** A number's whole part (starlark.NumberToInt). */
export function truncate(value: Value): bigint {
  if (typeof value === "bigint") return value;
  if (typeof value !== "number") throw new StarlarkError(`cannot convert ${typeOf(value)} to int`);
  if (Number.isNaN(value)) throw new StarlarkError("cannot convert float NaN to integer");
  if (!Number.isFinite(value)) throw new StarlarkError("cannot convert float infinity to integer");
  return BigInt(Math.trunc(value));
}
