import { JsonnetError } from "./jsonnet-error.ts";
import { JsonnetArray, typeOf, type Value } from "./values.ts";

/** std.slice: [from, to, step], each null for its default; negative bounds count from the end. */
export function sliceValue(target: Value, parts: readonly Value[]): Value {
  const isText = typeof target === "string";
  if (!isText && !(target instanceof JsonnetArray))
    throw new JsonnetError(`can only slice strings and arrays, got ${typeOf(target)}`);
  const items = isText ? Array.from(target) : target.items;
  const whole = (value: Value | undefined, fallback: number): number => {
    if (value === null || value === undefined) return fallback;
    if (typeof value !== "number" || !Number.isInteger(value))
      throw new JsonnetError("slice bounds must be whole numbers");
    return value;
  };
  const bound = (value: number): number => (value < 0 ? Math.max(items.length + value, 0) : value);
  const from = bound(whole(parts[0], 0));
  const to = Math.min(bound(whole(parts[1], items.length)), items.length);
  const step = whole(parts[2], 1);
  if (step <= 0) throw new JsonnetError(`slice step must be positive, got ${step}`);
  if (isText)
    return Array.from(target)
      .filter((_, at) => at >= from && at < to && (at - from) % step === 0)
      .join("");
  return new JsonnetArray(target.items.filter((_, at) => at >= from && at < to && (at - from) % step === 0));
}
