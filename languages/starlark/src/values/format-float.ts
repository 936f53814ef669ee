import { printFloat } from "@capstan/formats";

const floatVerbs = { e: "e", f: "f", g: "g", E: "e", F: "f", G: "g" } as const;
export type FloatVerb = keyof typeof floatVerbs;

/** Go's strconv.FormatFloat as starlark uses it: 6 digits for e and f, the shortest text for g. */
export function formatFloat(value: number, verb: FloatVerb): string {
  if (!Number.isFinite(value)) return printFloat(value, "g").toLowerCase();
  const kind = floatVerbs[verb];
  const text = printFloat(value, kind, kind === "g" ? -1 : 6);
  const shown = /[.e]/.test(text) ? text : `${text}.0`;
  return verb === "E" || verb === "G" ? shown.toUpperCase() : shown;
}
