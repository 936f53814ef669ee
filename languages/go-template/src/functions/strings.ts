import { createHash, randomBytes, randomInt, randomUUID } from "node:crypto";
import { compareBytes } from "@capstan/formats";
import { define, defineRest, type GoFunctions } from "../execute/functions.ts";
import { eachChar, lower, noSpace, space, upper } from "../values/letters.ts";
import { printValue } from "../values/print-value.ts";
import { byteLength, bytesOf, cutBytes, quoteText } from "../values/text-bytes.ts";
import { GoList, GoMap, type Spend, textOfBytes, type Value } from "../values/value.ts";
import { pascalCase, separateWords } from "./letter-case.ts";
import { wrapText } from "./wrap-text.ts";

export const stringList = (items: readonly string[]): GoList => new GoList(items, "string");

const hash = (algorithm: string) =>
  define(["string"], ([text]) => createHash(algorithm).update(bytesOf(text)).digest("hex"));

/** sprig's functions on texts (Masterminds/sprig strings.go; lengths are in bytes). */
export const stringFunctions: GoFunctions = {
  abbrev: define(["int", "string"], ([width, text]) => (width < 4 ? text : abbreviate(text, 0, width))),
  abbrevboth: define(["int", "int", "string"], ([left, right, text]) =>
    right < 4 || (left > 0 && right < 7) ? text : abbreviate(text, left, right),
  ),
  trunc: define(["int", "string"], ([count, text]) => {
    const length = byteLength(text);
    if (count < 0 && length + count > 0) return cutBytes(text, length + count);
    return count >= 0 && length > count ? cutBytes(text, 0, count) : text;
  }),
  substr: define(["int", "int", "string"], ([from, to, text]) => {
    if (from < 0) return cutBytes(text, 0, to);
    return to < 0 || to > byteLength(text) ? cutBytes(text, from) : cutBytes(text, from, to);
  }),
  trim: define(["string"], ([text]) => trimSet(text, (char) => space.test(char))),
  trimAll: define(["string", "string"], ([set, text]) => trimSet(text, (char) => set.includes(char))),
  trimall: define(["string", "string"], ([set, text]) => trimSet(text, (char) => set.includes(char))),
  trimSuffix: define(["string", "string"], ([end, text]) =>
    text.endsWith(end) ? text.slice(0, text.length - end.length) : text,
  ),
  trimPrefix: define(["string", "string"], ([start, text]) =>
    text.startsWith(start) ? text.slice(start.length) : text,
  ),
  upper: define(["string"], ([text]) => eachChar(text, upper)),
  lower: define(["string"], ([text]) => eachChar(text, lower)),
  title: define(["string"], ([text]) => changeFirst(text, inWord, upper)),
  untitle: define(["string"], ([text]) => changeFirst(text, noSpace, lower)),
  swapcase: define(["string"], ([text]) => swapCase(text)),
  snakecase: define(["string"], ([text]) => separateWords(text, "_")),
  kebabcase: define(["string"], ([text]) => separateWords(text, "-")),
  camelcase: define(["string"], ([text]) => pascalCase(text)),
  nospace: define(["string"], ([text]) => {
    const bytes = bytesOf(text).toString("latin1");
    return space.test(bytes) ? eachChar(bytes, (char) => (space.test(char) ? "" : char)) : text;
  }),
  initials: define(["string"], ([text]) => initials(bytesOf(text).toString("latin1"))),
  shuffle: define(["string"], ([text]) => shuffle([...text]).join("")),
  repeat: define(["int", "string"], ([count, text], { spend }) => {
    if (count < 0) throw new Error("strings: negative Repeat count");
    spend(count * (text.length + 1));
    return text.repeat(count);
  }),
  wrap: define(["int", "string"], ([width, text]) =>
    wrapText(text, { width, newLine: "", breaksWords: false }),
  ),
  wrapWith: define(["int", "string", "string"], ([width, newLine, text], { spend }) => {
    spend((text.length + 1) * (newLine.length + 1));
    return wrapText(text, { width, newLine, breaksWords: true });
  }),
  contains: define(["string", "string"], ([part, text]) => text.includes(part)),
  hasPrefix: define(["string", "string"], ([start, text]) => text.startsWith(start)),
  hasSuffix: define(["string", "string"], ([end, text]) => text.endsWith(end)),
  quote: defineRest([], "any", (_none, values, { spend }) =>
    joinNotNil(values, (one) => quoteText(printValue(one, spend))),
  ),
  squote: defineRest([], "any", (_none, values, { spend }) =>
    joinNotNil(values, (one) => `'${printValue(one, spend)}'`),
  ),
  cat: defineRest([], "any", (_none, values, { spend }) =>
    joinNotNil(values, (one) => printValue(one, spend)),
  ),
  indent: define(["int", "string"], ([count, text], { spend }) => {
    spend(count * text.split("\n").length);
    return indent(count, text);
  }),
  nindent: define(["int", "string"], ([count, text], { spend }) => {
    spend(count * text.split("\n").length);
    return `\n${indent(count, text)}`;
  }),
  replace: define(["string", "string", "string"], ([from, to, text], { spend }) => {
    spend((text.split(from).length + (from === "" ? 2 : 0)) * to.length);
    return from === "" ? to + [...text].map((char) => char + to).join("") : text.replaceAll(from, () => to);
  }),
  plural: define(["string", "string", "int"], ([one, many, count]) => (count === 1 ? one : many)),
  split: define(["string", "string"], ([separator, text]) => numbered(splitText(text, separator, -1))),
  splitn: define(["string", "int", "string"], ([separator, count, text]) =>
    numbered(splitText(text, separator, count)),
  ),
  splitList: define(["string", "string"], ([separator, text]) => stringList(splitText(text, separator, -1))),
  toStrings: define(["any"], ([value], { spend }) => textList(value, spend)),
  toString: define(["any"], ([value], { spend }) => textOfBytes(value) ?? printValue(value, spend)),
  join: define(["string", "any"], ([separator, value], { spend }) => {
    const texts = textsOf(value, spend);
    spend(texts.reduce((sum, one) => sum + one.length + separator.length, 0));
    return texts.join(separator);
  }),
  sortAlpha: define(["any"], ([value], { spend }) => {
    if (!(value instanceof GoList)) return stringList([printValue(value, spend)]);
    const texts = textList(value, spend);
    texts.sort((left, right) => compareBytes(String(left), String(right)));
    return texts;
  }),
  randAlphaNum: random("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"),
  randAlpha: random("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"),
  randNumeric: random("0123456789"),
  randAscii: random(Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join("")),
  randBytes: define(["int"], ([count], { spend }) => {
    spend(count);
    return randomBytes(count).toString("base64");
  }),
  uuidv4: define([], () => randomUUID()),
  sha1sum: hash("sha1"),
  sha256sum: hash("sha256"),
  sha512sum: hash("sha512"),
  adler32sum: define(["string"], ([text]) => adler32(bytesOf(text))),
  hello: define([], () => "Hello!"),
  fail: define(["string"], ([message]) => {
    throw new Error(message);
  }),
};

function random(alphabet: string) {
  return define(["int"], ([count], { spend }) => {
    spend(count);
    return Array.from({ length: Math.max(count, 0) }, () => alphabet[randomInt(alphabet.length)] ?? "").join(
      "",
    );
  });
}

/** Zlib's checksum (RFC 1950). */
function adler32(bytes: Uint8Array): string {
  let [low, high] = [1, 0];
  for (const byte of bytes) {
    low = (low + byte) % 65_521;
    high = (high + low) % 65_521;
  }
  return String(high * 65_536 + low);
}

/** strings.Title's isSeparator, the other way round: of what is not ASCII only spaces part words. */
const inWord = /\w|[^\0-\x7f\x85\p{Z}]/u;

/** The first of each run of what matches. */
function changeFirst(text: string, counts: RegExp, change: (char: string) => string): string {
  let isInside = false;
  return eachChar(text, (char) => {
    const isFirst = !isInside;
    isInside = counts.test(char);
    return isInside && isFirst ? change(char) : char;
  });
}

const swapCase = (text: string): string =>
  eachChar(text, (char) => {
    if (/[\p{Lu}\p{Lt}]/u.test(char)) return lower(char);
    return /\p{Ll}/u.test(char) ? upper(char) : char;
  });

function initials(bytes: string): string {
  let isFirst = true;
  return eachChar(bytes, (char) => {
    const isGap = space.test(char);
    const isTaken = isFirst && !isGap;
    isFirst = isGap;
    return isTaken ? char : "";
  });
}

function trimSet(text: string, isCut: (char: string) => boolean): string {
  const chars = [...text];
  let from = 0;
  let to = chars.length;
  while (from < to && isCut(chars[from] ?? "")) from += 1;
  while (to > from && isCut(chars[to - 1] ?? "")) to -= 1;
  return chars.slice(from, to).join("");
}

/** Masterminds/goutils AbbreviateFull. */
function abbreviate(text: string, offset: number, width: number): string {
  const length = byteLength(text);
  if (length <= width) return text;
  const from = Math.min(Math.min(offset, length), length - (width - 3));
  if (from <= 4) return `${cutBytes(text, 0, width - 3)}...`;
  if (from + width - 3 >= length) return `...${cutBytes(text, length - (width - 3))}`;
  const rest = cutBytes(text, from);
  return `...${width - 3 < 4 ? "" : abbreviate(rest, 0, width - 3)}`;
}

const indent = (count: number, text: string): string => {
  if (count < 0) throw new Error("strings: negative Repeat count");
  const pad = " ".repeat(count);
  return pad + text.replaceAll("\n", `\n${pad}`);
};

const joinNotNil = (values: readonly Value[], print: (value: Value) => string): string =>
  values
    .filter((one) => one !== null && one !== undefined)
    .map(print)
    .join(" ");

/** strings.SplitN. */
export function splitText(text: string, separator: string, count: number): string[] {
  if (count === 0) return [];
  const parts = separator === "" ? [...text] : text.split(separator);
  if (count < 0 || parts.length <= count) return parts;
  return [...parts.slice(0, count - 1), parts.slice(count - 1).join(separator)];
}

const numbered = (parts: readonly string[]): GoMap =>
  new GoMap(
    parts.map((part, index) => [`_${index}`, part]),
    "string",
  );

/** sprig's strslice: what is no list is one text, nil none. */
function textsOf(value: Value, spend: Spend): string[] {
  if (value === null || value === undefined) return [];
  if (!(value instanceof GoList)) return [printValue(value, spend)];
  return value.items.filter((one) => one !== null && one !== undefined).map((one) => printValue(one, spend));
}

/** A list of texts is given back itself: sortAlpha sorts it in place. */
function textList(value: Value, spend: Spend): GoList {
  const texts = textsOf(value, spend);
  if (!(value instanceof GoList)) return stringList(texts);
  return value.element === "string" ? value : new GoList(texts, "string", { capacity: value.items.length });
}

function shuffle<T>(items: T[]): T[] {
  for (let index = items.length - 1; index > 0; index -= 1) {
    const other = randomInt(index + 1);
    [items[index], items[other]] = [items[other] as T, items[index] as T];
  }
  return items;
}
