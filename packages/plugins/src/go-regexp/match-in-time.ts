import { createContext, Script } from "node:vm";
import { isRecord } from "@capstan/model";

/** An expression has taken longer than it may. */
export class MatchTookTooLong extends Error {}

const script = new Script("texts.filter((text) => expression.test(text))");

/**
 * Those of the texts that match. Applications choose expressions, and not every one ends in JavaScript; `limitMs` is
 * of the clock on the wall, which goes on while others have the processor. Throws MatchTookTooLong.
 */
export function matchInTime(expression: RegExp, texts: readonly string[], limitMs: number): string[] {
  try {
    const found: unknown = script.runInContext(createContext({ expression, texts }), { timeout: limitMs });
    return Array.isArray(found) ? found.filter((text) => typeof text === "string") : [];
  } catch (error) {
    // Of another context: it is no Error of this one.
    if (isRecord(error) && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT")
      throw new MatchTookTooLong("the expression took too long", { cause: error });
    throw error;
  }
}
