import { runeAt, runesOf, toText } from "../values/utf8.ts";

export const isLetter = (code: number): boolean => /^\p{L}$/u.test(String.fromCodePoint(code));
export const isDigit = (code: number): boolean => /^\p{Nd}$/u.test(String.fromCodePoint(code));
/** Go's unicode.IsSpace. */
export const isSpace = (code: number): boolean =>
  code === 0x20 || (code >= 9 && code <= 13) || code === 0x85 || code === 0xa0 || isWideSpace(code);

const isWideSpace = (code: number): boolean => code > 0xff && /^\p{Z}$/u.test(String.fromCodePoint(code));

/** Whether a code point has another case. */
export function isCased(code: number): boolean {
  const char = String.fromCodePoint(code);
  return char.toLowerCase() !== char || char.toUpperCase() !== char;
}

export function everyRune(text: string, holds: (code: number) => boolean): boolean {
  for (const { code } of runesOf(text)) if (!holds(code)) return false;
  return text !== "";
}

export function hasCase(text: string): boolean {
  for (const { code } of runesOf(text)) if (isCased(code)) return true;
  return false;
}

/** Without those characters at its ends; white space where none are named. */
export function strip(text: string, characters: string, side: "left" | "right" | "both"): string {
  const chosen = new Set([...toText(characters)].map((char) => char.codePointAt(0)));
  const goes = (code: number): boolean => (characters === "" ? isSpace(code) : chosen.has(code));
  let from = 0;
  let to = text.length;
  if (side !== "right")
    for (let rune = runeAt(text, 0); from < to && goes(rune.code); rune = runeAt(text, from))
      from += rune.size;
  if (side === "left") return text.slice(from);
  for (
    let start = lastRune(text, to);
    from < to && goes(runeAt(text, start).code);
    start = lastRune(text, to)
  )
    to = start;
  return text.slice(from, to);
}

/** Where the rune that ends at a place begins. */
function lastRune(text: string, end: number): number {
  for (let start = end - 1; start >= Math.max(0, end - 4); start--)
    if (start + runeAt(text, start).size === end) return start;
  return Math.max(0, end - 1);
}
