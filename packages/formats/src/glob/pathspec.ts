import { plainPatterns } from "./plain-patterns.ts";
import { matchesAny } from "./tokens.ts";

/**
 * A path as git's pathspecs name it, without their magic words: a file, all below a directory, or a glob whose `*` and
 * `?` do not stop at slashes (gitglossary, pathspec; wildmatch without WM_PATHNAME).
 */
export function matchesPathspec(pattern: string, path: string): boolean {
  const whole = pattern.endsWith("/") ? pattern.slice(0, -1) : pattern;
  if (path === pattern || path.startsWith(`${whole}/`) || whole === "." || whole === "") return true;
  return /[*?[\\]/.test(pattern) && matchesAny(readPattern(pattern), path, "");
}

const readPattern = plainPatterns("doublestar");
