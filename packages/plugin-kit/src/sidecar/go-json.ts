import { compareBytes } from "@capstan/formats";

/**
 * JSON as Go's encoding/json writes it: keys in byte order, `<`, `>`, `&` and the line separators escaped. What
 * sidecars answer with is compared and hashed as text by their callers.
 */
export function goJson(value: unknown): string {
  if (typeof value === "string") return goString(value);
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(JSON.stringify(value));
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(goJson).join(",")}]`;
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([left], [right]) => compareBytes(left, right))
    .map(([name, field]) => `${goString(name)}:${goJson(field)}`);
  return `{${fields.join(",")}}`;
}

const escaped: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

function goString(text: string): string {
  const json = JSON.stringify(text.toWellFormed());
  return /[<>&\u2028\u2029]/.test(json)
    ? json.replace(/[<>&\u2028\u2029]/g, (char) => escaped[char] ?? char)
    : json;
}
