import { type GoMatch, type GoRegexp, goRegexp, quoteRegexp, tryRegexp } from "@capstan/formats/re2";
import { define, type GoFunction, type GoFunctions } from "../execute/functions.ts";
import { stringList } from "./strings.ts";

/** sprig's regular expressions: Go's, in linear time. */
const once: GoFunctions = {
  regexFindAll: define(["string", "string", "int"], ([source, text, count]) => {
    const found = goRegexp(source).findAll(text);
    const all = count < 0 ? [...found] : [...found].slice(0, count);
    return stringList(all.map(({ parts }) => parts[0] ?? ""));
  }),
  regexFind: define(["string", "string"], ([source, text]) => goRegexp(source).find(text)?.parts[0] ?? ""),
  regexReplaceAll: define(["string", "string", "string"], ([source, text, to], { spend }) =>
    goRegexp(source).replaceAll(text, (match) => {
      const made = expand(to, match);
      spend(made.length + 1);
      return made;
    }),
  ),
  regexReplaceAllLiteral: define(["string", "string", "string"], ([source, text, to], { spend }) =>
    goRegexp(source).replaceAll(text, () => {
      spend(to.length + 1);
      return to;
    }),
  ),
  regexSplit: define(["string", "string", "int"], ([source, text, count]) =>
    stringList(splitAt(goRegexp(source), text, count)),
  ),
};

const twice = Object.entries(once).flatMap(([name, play]): [string, GoFunction][] => [
  [name, play],
  [`must${name[0]?.toUpperCase()}${name.slice(1)}`, play],
]);

export const regexFunctions: GoFunctions = {
  ...Object.fromEntries(twice),
  regexMatch: define(["string", "string"], ([source, text]) => tryRegexp(source)?.test(text) ?? false),
  mustRegexMatch: define(["string", "string"], ([source, text]) => goRegexp(source).test(text)),
  regexQuoteMeta: define(["string"], ([text]) => quoteRegexp(text)),
};

/** Regexp.Expand: $1, ${name}, $$; a name goes as far as letters, digits and _ do. */
function expand(template: string, { parts, names }: GoMatch): string {
  return template.replace(/\$(?:\$|\{(\w+)\}|(\w+))/g, (_whole, braced?: string, bare?: string) => {
    const name = braced ?? bare;
    if (name === undefined) return "$";
    return (/^\d+$/.test(name) ? parts[Number(name)] : names[name]) ?? "";
  });
}

/** Regexp.Split. */
function splitAt(expression: GoRegexp, text: string, count: number): string[] {
  if (count === 0) return [];
  if (text === "") return [""];
  const parts: string[] = [];
  let from = 0;
  let end = 0;
  for (const { index, parts: found } of expression.findAll(text)) {
    if (count > 0 && parts.length === count - 1) break;
    end = index + (found[0] ?? "").length;
    if (end === 0) continue;
    parts.push(text.slice(from, index));
    from = end;
  }
  return [...parts, text.slice(from)];
}
