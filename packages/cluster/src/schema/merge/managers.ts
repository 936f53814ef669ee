import type { ManagedFieldsEntry } from "../../types.ts";
import { decodeAnyFields, decodeFields, encodeFields, type FieldSet, unionOf } from "./field-set.ts";

/** One owner of fields. Entries are told apart by manager, operation, subresource and, for updates, version. */
export interface Manager {
  manager: string;
  operation: "Apply" | "Update";
  apiVersion: string;
  subresource: string;
  time: string | undefined;
  fields: FieldSet;
}

export type Managers = Map<string, Manager>;

export function managerKey(of: Omit<Manager, "time" | "fields">): string {
  const version = of.operation === "Apply" ? "" : of.apiVersion;
  return JSON.stringify([of.manager, of.operation, version, of.subresource]);
}

type Entries = readonly ManagedFieldsEntry[] | undefined;

/** Those of an object that is stored. */
export function decodeManagers(entries: Entries): Managers {
  return decodeEach(entries, decodeFields);
}

/** Those that a client sent. */
export function decodeSentManagers(entries: Entries): Managers {
  return decodeEach(entries, decodeAnyFields);
}

function decodeEach(entries: Entries, decode: typeof decodeFields): Managers {
  const managers: Managers = new Map();
  for (const entry of entries ?? []) {
    if (entry.fieldsType !== "FieldsV1") continue;
    const manager: Manager = {
      manager: entry.manager,
      operation: entry.operation === "Apply" ? "Apply" : "Update",
      apiVersion: entry.apiVersion,
      subresource: entry.subresource ?? "",
      time: entry.time,
      fields: decode(entry.fieldsV1),
    };
    managers.set(managerKey(manager), manager);
  }
  return managers;
}

export function encodeManagers(managers: Managers): ManagedFieldsEntry[] {
  return [...managers.values()].sort(byAge).map((manager) => ({
    manager: manager.manager,
    operation: manager.operation,
    apiVersion: manager.apiVersion,
    ...(manager.time === undefined ? {} : { time: manager.time }),
    fieldsType: "FieldsV1" as const,
    fieldsV1: encodeFields(manager.fields),
    ...(manager.subresource ? { subresource: manager.subresource } : {}),
  }));
}

function byAge(a: Manager, b: Manager): number {
  return (
    compareText(a.operation, b.operation) ||
    compareText(a.time ?? "", b.time ?? "") ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

const mostUpdaters = 10;

/** Folds the oldest updates into "ancient-changes" of their version: managedfields/internal/capmanagers.go. */
export function capUpdaters(managers: Managers): void {
  const updaters = [...managers.entries()].filter(([, { operation }]) => operation === "Update");
  let count = updaters.length;
  if (count <= mostUpdaters) return;
  updaters.sort(([a, x], [b, y]) => compareText(x.time ?? "", y.time ?? "") || compareText(a, b));
  const firstOf = new Map<string, string>();
  for (const [key, updater] of updaters) {
    if (count <= mostUpdaters) return;
    const bucket = { ...updater, manager: "ancient-changes", subresource: "" };
    const bucketKey = managerKey(bucket);
    const first = firstOf.get(updater.apiVersion);
    if (first === undefined) {
      firstOf.set(updater.apiVersion, key);
      continue;
    }
    const known = managers.get(bucketKey) ?? managers.get(first);
    if (!managers.has(bucketKey)) managers.delete(first);
    bucket.fields = known ? unionOf(updater.fields, known.fields) : updater.fields;
    managers.delete(key);
    managers.set(bucketKey, bucket);
    count -= 1;
  }
}
