import { EvaluationError } from "@marcbachmann/cel-js";
import { type Functions, letters } from "./functions.ts";
import { matchRegex } from "./regex.ts";

/** cel-go ext/strings.go and apiserver pkg/cel/library/regex.go, where the language itself has nothing. */
export const textFunctions: Functions = {
  "string.charAt(int): string": (text: string, at: bigint) => letters(text)[Number(at)] ?? "",
  "string.replace(string, string): string": (text: string, from: string, to: string) =>
    text.replaceAll(from, to),
  "string.replace(string, string, int): string": (
    text: string,
    ...[from, to, times]: [string, string, bigint]
  ) => replaceSome(text, { from, to, times: Number(times) }),
  "string.reverse(): string": (text: string) => letters(text).reverse().join(""),
  "string.reMatch(string): bool": (text: string, pattern: string) => matchRegex(pattern, text).length > 0,
  "matches(string, string): bool": (text: string, pattern: string) => matchRegex(pattern, text).length > 0,
  "string.find(string): string": (text: string, pattern: string) => matchRegex(pattern, text)[0] ?? "",
  "string.findAll(string): list<string>": (text: string, pattern: string) => [
    ...matchRegex(pattern, text, "all"),
  ],
  "string.findAll(string, int): list<string>": (text: string, pattern: string, most: bigint) =>
    matchRegex(pattern, text, "all").slice(0, most < 0n ? undefined : Number(most)),
  "string.format(list): string": (text: string, values: readonly unknown[]) => format(text, values),
};

function replaceSome(text: string, { from, to, times }: { from: string; to: string; times: number }): string {
  if (times < 0) return text.replaceAll(from, to);
  const parts = text.split(from);
  const replaced = parts.slice(0, times + 1).join(to);
  return parts.length > times + 1 ? [replaced, ...parts.slice(times + 1)].join(from) : replaced;
}

function format(text: string, values: readonly unknown[]): string {
  let next = 0;
  return text.replaceAll(
    /%(?:%|(?:\.(\d+))?([sdfexXob]))/g,
    (whole, digits: string | undefined, verb: string) => {
      if (whole === "%%") return "%";
      if (next >= values.length) throw new EvaluationError(`index ${next} out of range`);
      const value = values[next];
      next += 1;
      return formatOne(value, verb, digits === undefined ? 6 : Number(digits));
    },
  );
}

function formatOne(value: unknown, verb: string, digits: number): string {
  if (verb === "f" && (typeof value === "number" || typeof value === "bigint"))
    return Number(value).toFixed(digits);
  if (verb === "e" && typeof value === "number")
    return value.toExponential(digits).replace(/e([+-])(\d)$/, "e$10$2");
  if (typeof value === "bigint" && verb !== "s")
    return (
      {
        d: value.toString(),
        x: value.toString(16),
        X: value.toString(16).toUpperCase(),
        o: value.toString(8),
        b: value.toString(2),
      }[verb] ?? value.toString()
    );
  return printValue(value);
}

function printValue(value: unknown): string {
  if (Array.isArray(value) || value instanceof Set) return `[${[...value].map(printValue).join(", ")}]`;
  if (value instanceof Date) return value.toISOString().replace(".000Z", "Z");
  if (value instanceof Map)
    return `{${[...value]
      .map(([key, item]) => `${printValue(key)}: ${printValue(item)}`)
      .sort()
      .join(", ")}}`;
  return String(value);
}
