import { goRegexp } from "../go-regexp/go-regexp.ts";
import { MatchTookTooLong, matchInTime } from "../go-regexp/match-in-time.ts";

/** An expression that paths must match. */
export interface PathRule {
  test(path: string): boolean;
}

const limitMs = 1_000;

/** AVP_PATH_VALIDATION, in Go's syntax. Applications set it too. */
export function readPathRule(source: string): PathRule {
  const expression = readExpression(source);
  const known = new Map<string, boolean>();
  return {
    test(path) {
      try {
        // A context costs a millisecond, and many placeholders have one path.
        const isAllowed = known.get(path) ?? matchInTime(expression, [path], limitMs).length > 0;
        known.set(path, isAllowed);
        return isAllowed;
      } catch (error) {
        if (error instanceof MatchTookTooLong)
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
    return goRegexp(source);
  } catch (error) {
    throw new Error("AVP_PATH_VALIDATION is no regular expression", { cause: error });
  }
}
