import { createContext, Script } from "node:vm";
import { compilePattern } from "../schema/validation/custom.ts";
import { isRecord } from "../types.ts";

/** Repetition of something that itself may repeat: where JavaScript's matcher, unlike RE2, may take exponential time. */
const mayExplode = /[*+}?]\)*[*+{]|\)[*+{]/;
/** Of the clock on the wall, which goes on while others have the processor. */
const limitMs = 1_000;

const context = createContext({ expression: /x/, text: "", found: undefined });
const script = new Script("found = text.match(expression)");

export class RegexProblem extends Error {}

/** A match in bounded time, with RE2's syntax as far as JavaScript has it. */
export function matchRegex(source: string, text: string, flags = ""): readonly string[] | null {
  const compiled = compilePattern(source);
  if (compiled === undefined) throw new RegexProblem(`error parsing regexp: ${source}`);
  const expression = flags === "" ? compiled : new RegExp(compiled.source, compiled.flags + flags);
  if (!mayExplode.test(source)) return text.match(expression);
  Object.assign(context, { expression, text, found: null });
  try {
    script.runInContext(context, { timeout: limitMs });
  } catch (error) {
    // The error belongs to the other context: it is no Error of this one.
    if (isRecord(error) && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT")
      throw new RegexProblem("operation cancelled: actual cost limit exceeded");
    throw error;
  }
  const { found } = context;
  return Array.isArray(found) ? found.map(String) : null;
}
