import {
  type GoMatch,
  type GoRegexp,
  quoteRegexp,
  goRegexp as readRegexp,
  tryRegexp,
} from "@capstan/formats/re2";
import { define, type GoFunctions } from "../execute/functions.ts";
import { appendedList, NilList, type Spend } from "../values/value.ts";
import { alsoMust } from "./also-must.ts";
import { stringList } from "./strings.ts";

/** Go gets so much ready for the first that is found (regexp.go startSize). */
const roomOfFound = 10;

/** sprig's regular expressions: Go's, in linear time. */
const once: GoFunctions = {
  regexFindAll: define(["string", "string", "int"], ([source, text, count], { spend }) => {
    const expression = goRegexp(source);
    spend(text.length);
    const found: string[] = [];
    for (const { parts } of expression.findAll(text)) {
      if (found.length === count) break;
      spend(parts.length);
      found.push(parts[0] ?? "");
    }
    return found.length === 0 ? new NilList("string") : appendedList(found, "string", roomOfFound);
  }),
  regexFind: define(["string", "string"], ([source, text], { spend }) => {
    spend(text.length);
    return goRegexp(source).find(text)?.parts[0] ?? "";
  }),
  regexReplaceAll: define(["string", "string", "string"], ([source, text, to], { spend }) =>
    goRegexp(source).replaceAll(text, (match) => {
      spend(match.parts.length);
      return expand(to, match, spend);
    }),
  ),
  regexReplaceAllLiteral: define(["string", "string", "string"], ([source, text, to], { spend }) =>
    goRegexp(source).replaceAll(text, ({ parts }) => {
      spend(to.length + parts.length);
      return to;
    }),
  ),
  regexSplit: define(["string", "string", "int"], ([source, text, count], { spend }) => {
    spend(text.length);
    const expression = goRegexp(source);
    if (count === 0) return new NilList("string");
    if (text === "") return stringList(source === "" ? [] : [""]);
    const { parts, room } = splitAt(expression.findAll(text), text, { count, spend });
    return appendedList(parts, "string", room);
  }),
};

/** Half a character is in no expression. */
function goRegexp(source: string): GoRegexp {
  if (!source.isWellFormed()) throw new Error(`error parsing regexp: invalid UTF-8: \`${source}\``);
  return readRegexp(source);
}

export const regexFunctions: GoFunctions = {
  ...alsoMust(once),
  regexMatch: define(["string", "string"], ([source, text], { spend }) => {
    spend(text.length);
    return source.isWellFormed() && (tryRegexp(source)?.test(text) ?? false);
  }),
  mustRegexMatch: define(["string", "string"], ([source, text], { spend }) => {
    spend(text.length);
    return goRegexp(source).test(text);
  }),
  regexQuoteMeta: define(["string"], ([text]) => quoteRegexp(text)),
};

/** Regexp.Expand: $1, ${name}, $$; a name goes as far as letters, digits and _ do. */
function expand(template: string, { parts, names }: GoMatch, spend: Spend): string {
  spend(template.length);
  return template.replace(/\$(?:\$|\{(\w+)\}|(\w+))/g, (_whole, braced?: string, bare?: string) => {
    const name = braced ?? bare;
    if (name === undefined) return "$";
    const part = (/^\d+$/.test(name) ? parts[Number(name)] : names[name]) ?? "";
    spend(part.length);
    return part;
  });
}

/** Regexp.Split; `room`: what Go gets ready for the parts. */
function splitAt(
  matches: Iterable<GoMatch>,
  text: string,
  { count, spend }: { count: number; spend: Spend },
): { parts: string[]; room: number } {
  const parts: string[] = [];
  let seen = 0;
  let from = 0;
  let start = 0;
  for (const { index, parts: found } of matches) {
    spend(found.length);
    seen += 1;
    if (count > 0 && parts.length === count - 1) break;
    start = index;
    const end = index + (found[0] ?? "").length;
    if (end > 0) parts.push(text.slice(from, index));
    from = end;
  }
  // What matches nothing at the end cuts nothing off.
  if (start !== text.length) parts.push(text.slice(from));
  return { parts, room: count > 0 ? Math.min(seen, count) : seen };
}
