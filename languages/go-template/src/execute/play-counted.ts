import { rejoined } from "../values/text-bytes.ts";
import { GoList, GoMap, type Value } from "../values/value.ts";
import type { GoFunction } from "./functions.ts";
import type { Run } from "./run.ts";

/** Reading takes less than making: so many characters that a function is given count as one. */
const readForMade = 4;

/**
 * Calls a function and counts the texts it goes through and what it makes, so that no single step is endless work and
 * nothing is kept that was not counted. What the function has counted by itself is not counted twice.
 */
export function playCounted(run: Run, values: readonly Value[], play: GoFunction["run"]): Value {
  for (const one of values) if (typeof one === "string") run.spend(Math.floor(one.length / readForMade));
  const before = run.spent;
  const made = play(values, run);
  const value = typeof made === "string" ? rejoined(made) : made;
  run.spend(sizeOfNew(run, value, values) - (run.spent - before));
  return value;
}

/** Lists and maps count once, however often they are handed on. */
function sizeOfNew(run: Run, value: Value, given: readonly Value[]): number {
  if (typeof value === "string") return given.includes(value) ? 0 : value.length;
  if (!(value instanceof GoList || value instanceof GoMap) || run.counted.has(value)) return 0;
  run.counted.add(value);
  return value instanceof GoList ? value.items.length : value.entries.size;
}
