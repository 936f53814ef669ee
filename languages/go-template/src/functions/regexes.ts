import { type GoMatch, goRegexp, quoteRegexp, tryRegexp } from "@capstan/formats/re2";
import { define, type GoFunctions } from "../execute/functions.ts";
import { NilList, type Spend } from "../values/value.ts";
import { alsoMust } from "./also-must.ts";
import { stringList } from "./strings.ts";

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
    return found.length === 0 ? new NilList("string") : stringList(found);
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
    return stringList(splitAt(expression.findAll(text), text, { count, spend }));
  }),
};

export const regexFunctions: GoFunctions = {
  ...alsoMust(once),
  regexMatch: define(["string", "string"], ([source, text], { spend }) => {
    spend(text.length);
    return tryRegexp(source)?.test(text) ?? false;
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

/** Regexp.Split. */
function splitAt(
  matches: Iterable<GoMatch>,
  text: string,
  { count, spend }: { count: number; spend: Spend },
): string[] {
  const parts: string[] = [];
  let from = 0;
  let start = 0;
  for (const { index, parts: found } of matches) {
    spend(found.length);
    if (count > 0 && parts.length === count - 1) break;
    start = index;
    const end = index + (found[0] ?? "").length;
    if (end > 0) parts.push(text.slice(from, index));
    from = end;
  }
  // What matches nothing at the end cuts nothing off.
  return start === text.length ? parts : [...parts, text.slice(from)];
}
