import { tryRegexp } from "@capstan/formats/re2";

export class RegexProblem extends Error {}

/** The first match, or all of them. Matching is linear, as with RE2. */
export function matchRegex(
  source: string,
  text: string,
  which: "first" | "all" = "first",
): readonly string[] {
  const expression = tryRegexp(source);
  if (expression === undefined) throw new RegexProblem(`error parsing regexp: ${source}`);
  const found = which === "all" ? [...expression.findAll(text)] : [expression.find(text)];
  return found.flatMap((match) => match?.parts[0] ?? []);
}
