import { readRanges } from "./ranges.ts";
import { type Cursor, keepRead, matchesAny, type Token } from "./tokens.ts";

/**
 * Go's path.Match: `*` and `?` stop at a slash, `[a-z0-9]` and `[^a]` are classes, `\` escapes; neither `**` nor
 * `{a,b}` mean anything. True when the whole text matches; an invalid pattern matches nothing.
 */
export function matchesPath(pattern: string, text: string): boolean {
  return matchesAny(readPattern(pattern), text, "/");
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
  if (char === "[") return readRanges(cursor, "go");
  if (char !== "\\") return { kind: "char", char };
  const escaped = cursor.chars[cursor.at];
  cursor.at += 1;
  return escaped === undefined ? undefined : { kind: "char", char: escaped };
}
