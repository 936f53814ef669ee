import { readRanges } from "./ranges.ts";
import { type Cursor, keepRead, matchesAny, type Token } from "./tokens.ts";

/**
 * A path as git's pathspecs name it, without their magic words: a file, all below a directory, or a glob whose `*` and
 * `?` do not stop at slashes (gitglossary, pathspec; wildmatch without WM_PATHNAME).
 */
export function matchesPathspec(pattern: string, path: string): boolean {
  const whole = pattern.endsWith("/") ? pattern.slice(0, -1) : pattern;
  if (path === pattern || path.startsWith(`${whole}/`) || whole === "." || whole === "") return true;
  return /[*?[\\]/.test(pattern) && matchesAny(readPattern(pattern), path, "");
}

const readPattern = keepRead((pattern) => {
  const cursor: Cursor = { chars: [...pattern], at: 0 };
  const tokens: Token[] = [];
  while (cursor.at < cursor.chars.length) {
    const char = cursor.chars[cursor.at] ?? "";
    cursor.at += 1;
    const token = readToken(cursor, char);
    if (token === undefined) return undefined;
    tokens.push(token);
  }
  return [tokens];
});

function readToken(cursor: Cursor, char: string): Token | undefined {
  if (char === "?") return { kind: "one" };
  if (char === "*") return { kind: "star" };
  if (char === "[") return readRanges(cursor, "doublestar");
  if (char !== "\\") return { kind: "char", char };
  const escaped = cursor.chars[cursor.at];
  cursor.at += 1;
  return escaped === undefined ? undefined : { kind: "char", char: escaped };
}
