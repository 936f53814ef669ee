import { isAscii, runesOf, toBytes, toText } from "../values/utf8.ts";
import { isCased } from "./runes.ts";

/** Code point by code point, as Go does: one stays one. */
function mapRunes(text: string, map: (char: string) => string): string {
  return toBytes([...toText(text)].map((char) => single(map(char), char)).join(""));
}

const single = (mapped: string, char: string): string => ([...mapped].length === 1 ? mapped : char);

export const lower = (text: string): string =>
  isAscii(text) ? text.toLowerCase() : mapRunes(text, (char) => char.toLowerCase());

export const upper = (text: string): string =>
  isAscii(text) ? text.toUpperCase() : mapRunes(text, (char) => char.toUpperCase());

export function capitalize(text: string): string {
  const [first = "", ...rest] = toText(text);
  return toBytes(titled(first)) + lower(toBytes(rest.join("")));
}

/** Letters that stand for two have a case of their own for titles. */
const titles: Readonly<Record<string, string>> = {
  Ǆ: "ǅ",
  ǆ: "ǅ",
  ǅ: "ǅ",
  Ǉ: "ǈ",
  ǉ: "ǈ",
  ǈ: "ǈ",
  Ǌ: "ǋ",
  ǌ: "ǋ",
  ǋ: "ǋ",
  Ǳ: "ǲ",
  ǳ: "ǲ",
  ǲ: "ǲ",
};

const titled = (char: string): string => titles[char] ?? single(char.toUpperCase(), char);

export function title(text: string): string {
  let isInside = false;
  let result = "";
  for (const char of toText(text)) {
    result += isInside ? single(char.toLowerCase(), char) : titled(char);
    isInside = isCased(char.codePointAt(0) ?? 0);
  }
  return toBytes(result);
}

/** Upper case only after what has no case, lower case only after what has (string.istitle). */
export function isTitle(text: string): boolean {
  let hasCased = false;
  let isInside = false;
  for (const { code } of runesOf(text)) {
    const char = String.fromCodePoint(code);
    const isFirst = (char >= "A" && char <= "Z") || /\p{Lt}/u.test(char);
    const isLower = /\p{Ll}/u.test(char);
    if (!isFirst && !isLower && /\p{Lu}/u.test(char)) return false;
    if ((isFirst && isInside) || (isLower && !isInside)) return false;
    isInside = isFirst || isLower;
    hasCased ||= isInside;
  }
  return hasCased;
}
