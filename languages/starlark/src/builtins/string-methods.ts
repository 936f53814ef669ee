import { indices } from "../operators/indices.ts";
import { checkedText } from "../operators/operators.ts";
import { StarlarkError } from "../script-error.ts";
import { maxText } from "../values/print-value.ts";
import { StarList, StarTuple } from "../values/sequences.ts";
import { spend } from "../values/steps.ts";
import { runesOf } from "../values/utf8.ts";
import { typeOf, type Value } from "../values/value.ts";
import type { Arguments } from "./arguments.ts";
import { Elements } from "./elements.ts";
import { formatText } from "./format-text.ts";
import { capitalize, isTitle, lower, title, upper } from "./letter-case.ts";
import type { Methods } from "./methods.ts";
import { everyRune, hasCase, isDigit, isLetter, isSpace, strip } from "./runes.ts";
import { splitAt, splitSpace } from "./split-text.ts";

export const stringMethods: Methods<string> = {
  capitalize: (self, args) => capitalize(plain(self, args)),
  codepoint_ords: (self, args) => new Elements("string.codepoints", plain(self, args), "codepoint_ords"),
  codepoints: (self, args) => new Elements("string.codepoints", plain(self, args)),
  count(self, args) {
    const { part, sub } = slice(self, args);
    return BigInt(count(part, sub));
  },
  elem_ords: (self, args) => new Elements("string.elems", plain(self, args), "elem_ords"),
  elems: (self, args) => new Elements("string.elems", plain(self, args)),
  endswith: (self, args) => affixed(self, args, (text, affix) => text.endsWith(affix)),
  find: (self, args) => BigInt(find(self, args, false)),
  format: (self, args) => formatText(self, args.positional, args.named),
  index: (self, args) => found(find(self, args, false), args),
  isalnum: (self, args) => everyRune(plain(self, args), (rune) => isLetter(rune) || isDigit(rune)),
  isalpha: (self, args) => everyRune(plain(self, args), isLetter),
  isdigit: (self, args) => everyRune(plain(self, args), isDigit),
  islower: (self, args) => hasCase(plain(self, args)) && self === lower(self),
  isspace: (self, args) => everyRune(plain(self, args), isSpace),
  istitle: (self, args) => isTitle(plain(self, args)),
  isupper: (self, args) => hasCase(plain(self, args)) && self === upper(self),
  join(self, args) {
    const parts: string[] = [];
    let length = 0;
    for (const part of args.take(1).elements(0)) {
      if (typeof part !== "string") throw args.error(`in list, want string, got ${typeOf(part)}`);
      length += part.length + self.length;
      spend(1);
      if (length > maxText) throw args.error(`the text is longer than ${maxText} bytes`);
      parts.push(part);
    }
    return checkedText(length, () => parts.join(self));
  },
  lower: (self, args) => lower(plain(self, args)),
  lstrip: (self, args) => strip(self, args.take(0, 1).text(0, ""), "left"),
  partition(self, args) {
    const separator = separatorOf(args);
    const at = self.indexOf(separator);
    return new StarTuple(at < 0 ? [self, "", ""] : parts(self, separator, at));
  },
  removeprefix(self, args) {
    const prefix = args.take(1).text(0);
    return self.startsWith(prefix) ? self.slice(prefix.length) : self;
  },
  removesuffix(self, args) {
    const suffix = args.take(1).text(0);
    return self.endsWith(suffix) ? self.slice(0, self.length - suffix.length) : self;
  },
  replace: (self, args) => {
    args.take(2, 3);
    return replace(self, { old: args.text(0), by: args.text(1), most: args.int(2, -1) });
  },
  rfind: (self, args) => BigInt(find(self, args, true)),
  rindex: (self, args) => found(find(self, args, true), args),
  rpartition(self, args) {
    const separator = separatorOf(args);
    const at = self.lastIndexOf(separator);
    return new StarTuple(at < 0 ? ["", "", self] : parts(self, separator, at));
  },
  rsplit: (self, args) => split(self, args, true),
  rstrip: (self, args) => strip(self, args.take(0, 1).text(0, ""), "right"),
  split: (self, args) => split(self, args, false),
  splitlines(self, args) {
    const areKept = args.take(0, 1).bool(0, false);
    if (self === "") return new StarList();
    const lines = areKept ? self.split(/(?<=\n)/) : self.split("\n");
    if (!areKept && self.endsWith("\n")) lines.pop();
    return listOf(lines);
  },
  startswith: (self, args) => affixed(self, args, (text, affix) => text.startsWith(affix)),
  strip: (self, args) => strip(self, args.take(0, 1).text(0, ""), "both"),
  title: (self, args) => title(plain(self, args)),
  upper: (self, args) => upper(plain(self, args)),
};

/** The string of a method without arguments. */
function plain(self: string, args: Arguments): string {
  args.take(0);
  spend(self.length >> 4);
  return self;
}

function listOf(texts: readonly string[]): StarList {
  spend(texts.length >> 2);
  return new StarList([...texts]);
}

function slice(self: string, args: Arguments): { part: string; sub: string; from: number } {
  const sub = args.take(1, 3).text(0);
  const { from, to } = args.naming(() => indices(args.value(1), args.value(2), self.length));
  spend((to - from) >> 5);
  return { part: from < to ? self.slice(from, to) : "", sub, from };
}

/** Times that a text occurs; an empty one does around every code point. */
function count(text: string, sub: string): number {
  return sub === "" ? Buffer.from(text, "latin1").toString("utf8").length + 1 : text.split(sub).length - 1;
}

function find(self: string, args: Arguments, isLast: boolean): number {
  const { part, sub, from } = slice(self, args);
  const at = isLast ? part.lastIndexOf(sub) : part.indexOf(sub);
  return at < 0 ? at : at + from;
}

function found(at: number, args: Arguments): bigint {
  if (at < 0) throw args.error("substring not found");
  return BigInt(at);
}

function affixed(self: string, args: Arguments, has: (text: string, affix: string) => boolean): boolean {
  args.take(1, 3);
  const { from, to } = args.naming(() => indices(args.value(1), args.value(2), self.length));
  const text = self.slice(from, Math.max(from, to));
  const affix = args.value(0);
  if (typeof affix === "string") return has(text, affix);
  if (!(affix instanceof StarTuple)) throw args.error(`got ${typeOf(affix)}, want string or tuple of string`);
  return affix.items.some((item, index) => {
    if (typeof item === "string") return has(text, item);
    throw args.error(`want string, got ${typeOf(item)}, for element ${index}`);
  });
}

function separatorOf(args: Arguments): string {
  const separator = args.take(1).text(0);
  if (separator === "") throw args.error("empty separator");
  return separator;
}

const parts = (text: string, separator: string, at: number): string[] => [
  text.slice(0, at),
  separator,
  text.slice(at + separator.length),
];

function replace(text: string, { old, by, most }: { old: string; by: string; most: number }): string {
  const pieces = old === "" ? ["", ...runeTexts(text)] : text.split(old);
  if (old === "") pieces.push("");
  const times = most < 0 ? pieces.length - 1 : Math.min(most, pieces.length - 1);
  return checkedText(text.length + times * by.length, () => {
    const replaced = pieces.slice(0, times + 1).join(by);
    return [replaced, ...pieces.slice(times + 1)].join(old);
  });
}

const runeTexts = (text: string): string[] =>
  [...runesOf(text)].map(({ at, size }) => text.slice(at, at + size));

function split(self: string, args: Arguments, isFromEnd: boolean): StarList {
  args.take(0, 2);
  const separator: Value = args.value(0);
  const most = args.int(1, -1);
  spend(self.length >> 4);
  if (separator === null) return listOf(splitSpace(self, most, isFromEnd));
  if (typeof separator !== "string")
    throw new StarlarkError(`split: got ${typeOf(separator)} for separator, want string`);
  if (separator === "") throw new StarlarkError("split: empty separator");
  return listOf(splitAt(self, separator, { most, isFromEnd }));
}
