export type Json = Record<string, unknown>;

export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function member(value: unknown, ...path: readonly string[]): unknown {
  let here = value;
  for (const name of path) here = isJson(here) ? here[name] : undefined;
  return here;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
