import { plainPatterns } from "./plain-patterns.ts";
import { matchesAny } from "./tokens.ts";

/**
 * Go's path.Match: `*` and `?` stop at a slash, `[a-z0-9]` and `[^a]` are classes, `\` escapes; neither `**` nor
 * `{a,b}` mean anything. True when the whole text matches; an invalid pattern matches nothing.
 */
export function matchesPath(pattern: string, text: string): boolean {
  return matchesAny(readPattern(pattern), text, "/");
}

const readPattern = plainPatterns("go");
