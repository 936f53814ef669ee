import { createContext, Script } from "node:vm";
import { isRecord } from "@capstan/model";
import { translateGoRegexp } from "../go-regexp/go-regexp.ts";

/** An expression that paths must match. */
export interface PathRule {
  test(path: string): boolean;
}

/** Of the clock on the wall, which goes on while others have the processor. */
const limitMs = 1_000;
const match = new Script("expression.test(path)");

/** AVP_PATH_VALIDATION, in Go's syntax. Applications set it too, and not every expression ends in JavaScript: its time is limited. */
export function readPathRule(source: string): PathRule {
  const expression = readExpression(source);
  const known = new Map<string, boolean>();
  return {
    test(path) {
      try {
        // A context costs a millisecond, and many placeholders have one path.
        const isAllowed =
          known.get(path) ??
          match.runInContext(createContext({ expression, path }), { timeout: limitMs }) === true;
        known.set(path, isAllowed);
        return isAllowed;
      } catch (error) {
        // Of another context: it is no Error of this one.
        if (isRecord(error) && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT")
          throw new Error(
            `AVP_PATH_VALIDATION takes more than ${limitMs / 1_000} s for a path; make it simpler`,
            {
              cause: error,
            },
          );
        throw error;
      }
    },
  };
}

function readExpression(source: string): RegExp {
  try {
    const { source: translated, flags } = translateGoRegexp(source);
    return new RegExp(translated, flags);
  } catch (error) {
    throw new Error("AVP_PATH_VALIDATION is no regular expression", { cause: error });
  }
}
