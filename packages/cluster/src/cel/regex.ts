import { compilePattern } from "../schema/validation/custom.ts";

export class RegexProblem extends Error {}

/** The first match, or all of them. Matching is linear, as with RE2. */
export function matchRegex(
  source: string,
  text: string,
  which: "first" | "all" = "first",
): readonly string[] {
  const expression = compilePattern(source);
  if (expression === undefined) throw new RegexProblem(`error parsing regexp: ${source}`);
  if (which === "all") return Array.from(expression.matchAll(text), ([whole]) => whole);
  const found: unknown = expression.exec(text)?.[0];
  return typeof found === "string" ? [found] : [];
}
