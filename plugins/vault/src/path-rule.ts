import { GoRegexpError, goRegexp } from "@capstan/formats/re2";

/** An expression that paths must match. */
export interface PathRule {
  test(path: string): boolean;
}

/** AVP_PATH_VALIDATION, in Go's syntax. Applications set it too. */
export function readPathRule(source: string): PathRule {
  try {
    return goRegexp(source);
  } catch (error) {
    if (!(error instanceof GoRegexpError)) throw error;
    throw new Error("AVP_PATH_VALIDATION is no regular expression", { cause: error });
  }
}
