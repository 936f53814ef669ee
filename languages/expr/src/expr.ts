import { Evaluation } from "./evaluate/evaluate.ts";
import { ExprError } from "./expr-error.ts";
import type { Node } from "./syntax/nodes.ts";
import { parse } from "./syntax/parse.ts";
import { Budget, type Limits } from "./values/budget.ts";
import { ExprMap, toValue, type Value } from "./values/value.ts";

export interface EvaluateOptions extends Limits {
  /** For now(), in milliseconds since 1970; default this machine's clock. */
  readonly nowMs?: () => number;
}

/** Longer than anything a person writes. */
const maxCharacters = 20_000;

/**
 * An expression of the expr language (github.com/expr-lang/expr v1.17), as Argo CD evaluates the conditions of deep
 * links and notifications: without types of the environment, so that what has no such name is nothing. What expr's
 * checker refuses before it evaluates, as `1 + "a"`, fails here when it is reached.
 */
export class Expr {
  readonly #root: Node;

  /** Throws ExprError, with its place, for what is no expression. */
  constructor(source: string) {
    if (source.length > maxCharacters) throw new ExprError(`it is longer than ${maxCharacters} characters`);
    this.#root = parse(source);
  }

  /** The value among these names; throws ExprError where there is none, or it costs more than it may. */
  evaluate(env: Readonly<Record<string, unknown>>, options: EvaluateOptions = {}): Value {
    const names = toValue(env);
    if (!(names instanceof ExprMap)) throw new ExprError("the names are no map");
    const caller = { budget: new Budget(options), nowMs: options.nowMs ?? Date.now };
    try {
      return new Evaluation(names, caller).of(this.#root);
    } catch (error) {
      if (error instanceof RangeError) throw new ExprError(error.message); // of dates and numbers out of range
      throw error;
    }
  }
}
