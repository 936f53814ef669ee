import type { Cursor, Token } from "./tokens.ts";

type Range = readonly [low: string, high: string];

/**
 * A class of several ranges, from behind its `[` on; nothing where it does not close or holds nothing. Go's own has no
 * dash but as a range's, and negates by `^` alone.
 */
export function readRanges(cursor: Cursor, dialect: "go" | "doublestar"): Token | undefined {
  const isStrict = dialect === "go";
  const sign = cursor.chars[cursor.at];
  const negated = sign === "^" || (sign === "!" && !isStrict);
  if (negated) cursor.at += 1;
  const ranges: Range[] = [];
  while (cursor.chars[cursor.at] !== "]") {
    const low = readOne(cursor, isStrict);
    const isRange = cursor.chars[cursor.at] === "-" && (isStrict || cursor.chars[cursor.at + 1] !== "]");
    if (isRange) cursor.at += 1;
    const high = isRange ? readOne(cursor, isStrict) : low;
    if (low === undefined || high === undefined) return undefined;
    ranges.push([low, high]);
  }
  cursor.at += 1;
  if (ranges.length === 0) return undefined;
  return {
    kind: "class",
    has: (char) => ranges.some(([low, high]) => char >= low && char <= high) !== negated,
  };
}

function readOne(cursor: Cursor, isStrict: boolean): string | undefined {
  const first = cursor.chars[cursor.at];
  if (isStrict && (first === "-" || first === "]")) return undefined;
  if (first === "\\") cursor.at += 1;
  const found = cursor.chars[cursor.at];
  cursor.at += 1;
  return found;
}
