import { createHash } from "node:crypto";
import { formatString } from "./format-string.ts";
import { JsonnetError } from "./jsonnet-error.ts";
import type { Arguments, Native, Natives } from "./native.ts";
import { toText } from "./operators.ts";
import { printString } from "./print-json.ts";
import { JsonnetArray, type Value } from "./values.ts";

function stripped(
  text: string,
  characters: string,
  { left, right }: { left: boolean; right: boolean },
): string {
  const all = Array.from(text);
  const drop = new Set(Array.from(characters));
  let from = 0;
  let to = all.length;
  while (left && from < to && drop.has(all[from] ?? "")) from += 1;
  while (right && to > from && drop.has(all[to - 1] ?? "")) to -= 1;
  return all.slice(from, to).join("");
}

const strip = (sides: { left: boolean; right: boolean }): Native => [
  "str chars",
  (args) => stripped(args.text(0), args.text(1), sides),
];

function nonEmpty(text: string, what: string): string {
  if (text === "") throw new JsonnetError(`${what} must not be empty`);
  return text;
}

function codePoint(text: string): number {
  const [only, ...others] = Array.from(text);
  if (only === undefined || others.length > 0)
    throw new JsonnetError(`std.codepoint takes a string of length 1, got length ${Array.from(text).length}`);
  return only.codePointAt(0) ?? 0;
}

function decodeBase64(text: string): Buffer {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text))
    throw new JsonnetError("std.base64Decode: the input is not a base64 encoded string");
  return Buffer.from(text, "base64");
}

function splitWhole(text: string, separator: string, limit: number): string[] {
  if (limit < -1) throw new JsonnetError(`std.splitLimit: maxsplits must be -1 or more, got ${limit}`);
  return text.split(nonEmpty(separator, "std.split: the separator"));
}

function splitLimited(text: string, separator: string, limit: number): string[] {
  const parts = splitWhole(text, separator, limit);
  if (limit < 0 || parts.length <= limit + 1) return parts;
  return [...parts.slice(0, limit), parts.slice(limit).join(separator)];
}

function splitLimitedRight(text: string, separator: string, limit: number): string[] {
  const parts = splitWhole(text, separator, limit);
  if (limit < 0 || parts.length <= limit + 1) return parts;
  const head = parts.length - limit;
  return [parts.slice(0, head).join(separator), ...parts.slice(head)];
}

function parseRadix(args: Arguments, radix: number): number {
  const text = args.text(0);
  const digits = { 8: /^[0-7]+$/, 10: /^-?[0-9]+$/, 16: /^[0-9a-fA-F]+$/ }[radix];
  if (!digits?.test(text)) throw new JsonnetError(`${JSON.stringify(text)} is not a base ${radix} integer`);
  return Number.parseInt(text, radix);
}

function findSubstring(pattern: string, text: string): number[] {
  if (pattern === "") return [];
  const found: number[] = [];
  for (let at = text.indexOf(pattern); at >= 0; at = text.indexOf(pattern, at + 1)) found.push(at);
  return found;
}

const bytesOf = (value: Value): Buffer => {
  if (typeof value === "string") {
    if (Array.from(value).some((one) => (one.codePointAt(0) ?? 0) > 255))
      throw new JsonnetError("std.base64: a string may hold code points up to 255 only");
    return Buffer.from(value, "latin1");
  }
  if (!(value instanceof JsonnetArray))
    throw new JsonnetError("std.base64: input must be a string or an array of bytes");
  return Buffer.from(
    value.values().map((one) => {
      if (typeof one !== "number" || one < 0 || one > 255)
        throw new JsonnetError("std.base64: bytes are from 0 to 255");
      return one;
    }),
  );
};

const digest = (algorithm: string): Native => [
  "s",
  (args) => createHash(algorithm).update(args.text(0)).digest("hex"),
];

const xmlEscapes: Readonly<Record<string, string>> = {
  "<": "&lt;",
  ">": "&gt;",
  "&": "&amp;",
  '"': "&quot;",
  "'": "&apos;",
};
export const escapeXml = (text: string): string => text.replace(/[<>&"']/g, (one) => xmlEscapes[one] ?? one);

export const standardStrings: Natives = {
  codepoint: ["str", (args) => codePoint(args.text(0))],
  char: ["n", (args) => String.fromCodePoint(args.whole(0))],
  substr: [
    "str from len",
    (args) =>
      Array.from(args.text(0))
        .slice(args.whole(1), args.whole(1) + args.whole(2))
        .join(""),
  ],
  findSubstr: ["pat str", (args) => JsonnetArray.of(findSubstring(args.text(0), args.text(1)))],
  startsWith: ["a b", (args) => args.text(0).startsWith(args.text(1))],
  endsWith: ["a b", (args) => args.text(0).endsWith(args.text(1))],
  stripChars: strip({ left: true, right: true }),
  lstripChars: strip({ left: true, right: false }),
  rstripChars: strip({ left: false, right: true }),
  trim: ["str", (args) => stripped(args.text(0), " \t\n\f\r\u0085\u00a0", { left: true, right: true })],
  split: ["str c", (args) => JsonnetArray.of(splitLimited(args.text(0), args.text(1), -1))],
  splitLimit: [
    "str c maxsplits",
    (args) => JsonnetArray.of(splitLimited(args.text(0), args.text(1), args.whole(2))),
  ],
  splitLimitR: [
    "str c maxsplits",
    (args) => JsonnetArray.of(splitLimitedRight(args.text(0), args.text(1), args.whole(2))),
  ],
  strReplace: [
    "str from to",
    (args) => args.text(0).replaceAll(nonEmpty(args.text(1), "std.strReplace: from"), () => args.text(2)),
  ],
  isEmpty: ["str", (args) => args.text(0) === ""],
  asciiUpper: ["str", (args) => args.text(0).replace(/[a-z]/g, (one) => one.toUpperCase())],
  asciiLower: ["str", (args) => args.text(0).replace(/[A-Z]/g, (one) => one.toLowerCase())],
  equalsIgnoreCase: ["str1 str2", (args) => args.text(0).toLowerCase() === args.text(1).toLowerCase()],
  stringChars: ["str", (args) => JsonnetArray.of(Array.from(args.text(0)))],
  format: ["str vals", (args) => formatString(args.text(0), args.value(1))],
  parseInt: ["str", (args) => parseRadix(args, 10)],
  parseOctal: ["str", (args) => parseRadix(args, 8)],
  parseHex: ["str", (args) => parseRadix(args, 16)],
  encodeUTF8: ["str", (args) => JsonnetArray.of([...Buffer.from(args.text(0), "utf8")])],
  decodeUTF8: ["arr", (args) => bytesOf(args.array(0)).toString("utf8")],
  base64: ["input", (args) => bytesOf(args.value(0)).toString("base64")],
  base64Decode: ["str", (args) => decodeBase64(args.text(0)).toString("latin1")],
  base64DecodeBytes: ["str", (args) => JsonnetArray.of([...decodeBase64(args.text(0))])],
  md5: digest("md5"),
  sha1: digest("sha1"),
  sha256: digest("sha256"),
  sha512: digest("sha512"),
  sha3: digest("sha3-512"),
  escapeStringJson: ["str", (args) => printString(toText(args.value(0)))],
  escapeStringPython: ["str", (args) => printString(toText(args.value(0)))],
  escapeStringBash: ["str", (args) => `'${toText(args.value(0)).replaceAll("'", `'"'"'`)}'`],
  escapeStringDollars: ["str", (args) => toText(args.value(0)).replaceAll("$", "$$$$")],
  escapeStringXML: ["str", (args) => escapeXml(toText(args.value(0)))],
};
