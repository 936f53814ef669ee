import { ExprError } from "../expr-error.ts";

export interface Limits {
  /** Parts that are evaluated; default 200,000. */
  readonly maxSteps?: number;
  /** Elements of arrays and maps, and characters of texts, that are made; default 1,000,000, as expr's memory budget. */
  readonly maxMade?: number;
}

/** What one evaluation may do: an expression is somebody's who may not hold up who evaluates it. */
export class Budget {
  #steps: number;
  #made: number;

  constructor({ maxSteps = 200_000, maxMade = 1_000_000 }: Limits) {
    this.#steps = maxSteps;
    this.#made = maxMade;
  }

  step(count = 1): void {
    this.#steps -= count;
    if (this.#steps < 0) throw new ExprError("the expression takes too many steps");
  }

  make(count: number): void {
    this.#made -= count;
    if (this.#made < 0) throw new ExprError("memory budget exceeded");
  }
}
