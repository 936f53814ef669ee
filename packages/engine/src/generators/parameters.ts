import { isRecord, printFloat } from "@capstan/formats";

/** One set of parameters: of one element of a generator. Never changed once made. */
export type Parameters = Readonly<Record<string, unknown>>;

/** A value as Go's `%v` prints what encoding/json reads. */
export function printParameter(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (typeof value === "number") return printFloat(value, "g");
  if (Array.isArray(value)) return `[${value.map(printParameter).join(" ")}]`;
  if (!isRecord(value)) return String(value);
  const fields = Object.keys(value).sort();
  return `map[${fields.map((field) => `${field}:${printParameter(value[field])}`).join(" ")}]`;
}

/** Values by their path with dots between, `a.b.0`, as texts (jeremywohl/flatten in its dot style). */
export function flattenParameters(parameters: unknown): Record<string, string> {
  const flat: [string, string][] = [];
  const add = (value: unknown, path: string): void => {
    if (Array.isArray(value)) for (const [index, one] of value.entries()) add(one, join(path, String(index)));
    else if (isRecord(value)) for (const [field, one] of Object.entries(value)) add(one, join(path, field));
    else flat.push([path, printParameter(value)]);
  };
  add(parameters, "");
  return Object.fromEntries(flat);
}

function join(path: string, field: string): string {
  return path === "" ? field : `${path}.${field}`;
}

const maxNameLength = 253;

/** Something like a name of Kubernetes (applicationset/utils SanitizeName, `normalize` in templates). */
export function normalizeName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^-a-z0-9.]/gu, "-")
    .slice(0, maxNameLength)
    .replace(/^[-.]+/, "")
    .replace(/[-.]+$/, "");
}
