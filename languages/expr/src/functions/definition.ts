import type { Budget } from "../values/budget.ts";
import type { Value } from "../values/value.ts";

/** Who calls: what it may do yet, and its clock. */
export interface Caller {
  readonly budget: Budget;
  readonly nowMs: () => number;
}

export type Play = (values: readonly Value[], caller: Caller) => Value;

/** What a call takes and gives; the number of arguments is checked before. */
export interface Definition {
  readonly least: number;
  readonly most: number;
  readonly play: Play;
}

export type Definitions = Readonly<Record<string, Definition>>;

export function define(count: number | readonly [least: number, most: number], play: Play): Definition {
  const [least, most] = typeof count === "number" ? [count, count] : count;
  return { least, most, play };
}
