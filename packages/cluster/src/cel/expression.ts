import type { Environment } from "@marcbachmann/cel-js";
import { limitSteps, withinCall } from "./budget.ts";
import { describeFault, isFault, type Written } from "./problem.ts";
import { toLibrary } from "./source.ts";

export interface Expression {
  /** cel-go's name of the type that it evaluates to. */
  readonly type: string;
  /** Throws what describeFailure can tell. */
  evaluate(variables: Record<string, unknown>): unknown;
}

export type Compiled = Expression | { problem: string };

const limited = new WeakSet<Environment>();

/**
 * Parses and checks an expression; what is wrong with it is told as cel-go does. `written`: what its author wrote,
 * where the library needs other words.
 */
export function compile(environment: Environment, expression: string, written?: Written): Compiled {
  if (!limited.has(environment)) {
    limitSteps(environment);
    limited.add(environment);
  }
  try {
    const parsed = environment.parse(toLibrary(expression));
    const { valid, type = "dyn", error } = parsed.check();
    if (!valid)
      return { problem: isFault(error) ? describeFault(error, expression, written) : String(error) };
    return {
      type,
      evaluate: (variables) => withinCall(() => parsed(variables)),
    };
  } catch (error) {
    if (isFault(error)) return { problem: describeFault(error, expression, written) };
    throw error;
  }
}
