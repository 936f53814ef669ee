import { type JsonObject, valueAt } from "../json.ts";
import type { Report } from "./report.ts";

/** Where a volume of a kind lies: pkg/apis/core/validation validate…VolumeSource. */
export type SourceRule = (report: Report, source: JsonObject, field: string) => void;

export function requireTexts(
  report: Report,
  value: unknown,
  { field, names }: { field: string; names: readonly string[] },
): void {
  for (const name of names) {
    const found = valueAt(value, name);
    if (found === undefined || found === "" || (Array.isArray(found) && found.length === 0))
      report.required(`${field}.${name}`);
  }
}
