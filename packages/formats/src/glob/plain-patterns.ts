import { readRanges } from "./ranges.ts";
import { type Cursor, keepRead, type Token } from "./tokens.ts";

/** Reads patterns of `?`, `*`, classes as the dialect has them, and `\\`, without `**` and `{a,b}`. */
export function plainPatterns(classes: Parameters<typeof readRanges>[1]): ReturnType<typeof keepRead> {
  return keepRead((pattern) => {
    const cursor: Cursor = { chars: [...pattern], at: 0 };
    const tokens: Token[] = [];
    while (cursor.at < cursor.chars.length) {
      const token = readToken(cursor, classes);
      if (token === undefined) return undefined;
      tokens.push(token);
    }
    return [tokens];
  });
}

function readToken(cursor: Cursor, classes: Parameters<typeof readRanges>[1]): Token | undefined {
  const char = cursor.chars[cursor.at] ?? "";
  cursor.at += 1;
  if (char === "?") return { kind: "one" };
  if (char === "*") return { kind: "star" };
  if (char === "[") return readRanges(cursor, classes);
  if (char !== "\\") return { kind: "char", char };
  const escaped = cursor.chars[cursor.at];
  cursor.at += 1;
  return escaped === undefined ? undefined : { kind: "char", char: escaped };
}
