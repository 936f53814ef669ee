import { StarlarkError } from "../script-error.ts";
import { typeOf, type Value } from "../values/value.ts";

/** An int of 32 bits (starlark.AsInt32). */
export function smallInt(value: Value): number {
  if (typeof value !== "bigint") throw new StarlarkError(`got ${typeOf(value)}, want int`);
  if (value > 0x7fffffffn || value < -0x80000000n) throw new StarlarkError(`${value} out of range`);
  return Number(value);
}

/** Start and end of a forward slice, within the length; an end may stand before the start. */
export function indices(from: Value, to: Value, length: number): { from: number; to: number } {
  const clamp = (at: number): number => Math.min(Math.max(at, 0), length);
  return {
    from: clamp(indexOr(from, { length, fallback: 0, what: "start" })),
    to: clamp(indexOr(to, { length, fallback: length, what: "end" })),
  };
}

export function sliceBounds(
  { from, to, step }: { from: Value; to: Value; step: Value },
  length: number,
): { from: number; to: number; step: number } {
  const by = stepOf(step);
  if (by > 0) {
    const ends = indices(from, to, length);
    return { from: ends.from, to: Math.max(ends.from, ends.to), step: by };
  }
  const start = Math.min(indexOr(from, { length, fallback: length - 1, what: "start" }), length - 1);
  const end = Math.max(indexOr(to, { length, fallback: -1, what: "end" }), -1);
  return { from: Math.max(start, end), to: end, step: by };
}

function stepOf(step: Value): number {
  if (step === null) return 1;
  const by = named("invalid slice step", () => smallInt(step));
  if (by === 0) throw new StarlarkError("zero is not a valid slice step");
  return by;
}

function indexOr(
  value: Value,
  { length, fallback, what }: { length: number; fallback: number; what: string },
): number {
  if (value === null) return fallback;
  const index = named(`invalid ${what} index`, () => smallInt(value));
  return index < 0 ? index + length : index;
}

/** Says before a problem what it is about. */
export function named<T>(what: string, attempt: () => T): T {
  try {
    return attempt();
  } catch (error) {
    if (!(error instanceof StarlarkError)) throw error;
    throw new StarlarkError(`${what}: ${error.message}`);
  }
}
