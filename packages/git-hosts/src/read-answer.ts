import { isRecord } from "@capstan/formats";
import { at, type HostSite } from "./host-calls.ts";
import { HostError } from "./host-error.ts";

/** The records of a list; whatever else there is instead is an error. */
export function recordsOf(site: HostSite, list: unknown): Record<string, unknown>[] {
  if (Array.isArray(list) && list.every(isRecord)) return list;
  throw oddAnswer(site, "no list");
}

export function oddAnswer(site: HostSite, what: string): HostError {
  return new HostError(`${at(site)} answers something else than its API is known to: ${what}`);
}

/** A text at a path of a record; throws where there is none. */
export function textAt(site: HostSite, record: unknown, ...path: string[]): string {
  const found = valueAt(record, ...path);
  if (typeof found === "string") return found;
  throw oddAnswer(site, `${path.join(".")} is missing`);
}

export function valueAt(record: unknown, ...path: string[]): unknown {
  let value = record;
  for (const step of path) value = isRecord(value) ? value[step] : undefined;
  return value;
}

export function numberAt(site: HostSite, record: unknown, field: string): number {
  const found = valueAt(record, field);
  if (typeof found === "number" && Number.isSafeInteger(found)) return found;
  throw oddAnswer(site, `${field} is missing`);
}

/** A number or text that names something; undefined: neither. */
export function idAt(record: unknown, field: string): string | undefined {
  const found = valueAt(record, field);
  return typeof found === "number" || typeof found === "string" ? String(found) : undefined;
}

/** Texts of a list; what is none is left out. */
export function textsAt(record: unknown, field: string): string[] {
  const found = valueAt(record, field);
  return Array.isArray(found) ? found.filter((one) => typeof one === "string") : [];
}

/** The names of records in a list. */
export function namesAt(record: unknown, field: string): string[] {
  const found = valueAt(record, field);
  const names: unknown[] = Array.isArray(found) ? found.map((one) => valueAt(one, "name")) : [];
  return names.filter((name) => typeof name === "string");
}

/** A path of a repository or the name of a branch as parts of an address, with its slashes. */
export function pathParts(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

export function hasAll(labels: readonly string[], wanted: readonly string[] | undefined): boolean {
  return (wanted ?? []).every((one) => labels.includes(one));
}
