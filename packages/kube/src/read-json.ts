import { isRecord } from "@capstan/formats";

/** Readers for values that come from outside. */
export function textAt(record: Record<string, unknown>, field: string): string | undefined {
  const value = record[field];
  return typeof value === "string" ? value : undefined;
}

export function recordAt(record: Record<string, unknown>, field: string): Record<string, unknown> {
  const value = record[field];
  return isRecord(value) ? value : {};
}

export function listAt(record: Record<string, unknown>, field: string): readonly unknown[] {
  const value = record[field];
  return Array.isArray(value) ? value : [];
}

export function textsIn(value: unknown): Record<string, string> {
  const texts: Record<string, string> = {};
  if (!isRecord(value)) return texts;
  for (const [name, entry] of Object.entries(value)) {
    if (typeof entry === "string") texts[name] = entry;
  }
  return texts;
}
