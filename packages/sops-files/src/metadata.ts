import { isRecord } from "@capstan/formats";
import { type Selection, selectionNames } from "./selection.ts";

export const keyTypes = ["age", "pgp", "kms", "gcp_kms", "hckms", "azure_kv", "hc_vault"] as const;
export type KeyType = (typeof keyTypes)[number];

/** One way to the data key, with the fields that SOPS keeps of it as text (stores/stores.go). */
export interface MasterKey {
  type: KeyType;
  fields: Readonly<Record<string, string>>;
  /** Of AWS KMS. */
  context: Readonly<Record<string, string>>;
}

export interface Metadata {
  selection: Selection;
  groups: readonly (readonly MasterKey[])[];
  /** Groups that are needed where there are several. */
  threshold: number;
  mac: string;
  lastModified: string;
  macOnlyEncrypted: boolean;
}

/** Throws an Error that says which entry is wrong. */
export function readMetadata(entries: unknown): Metadata {
  if (!isRecord(entries)) throw new Error("it has no entries of sops: encrypt it with sops");
  const lastModified = textAt(entries, "lastmodified");
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[-+]\d\d:\d\d)$/.test(lastModified))
    throw new Error("sops.lastmodified is no time");
  const mac = textAt(entries, "mac");
  if (mac === "") throw new Error("sops.mac is missing, so nothing says that the file is whole");
  const groups = readGroups(entries);
  if (groups.every((group) => group.length === 0)) throw new Error("sops names no key");
  const threshold = Number(textAt(entries, "shamir_threshold") || 0);
  return {
    selection: readSelection(entries),
    groups,
    threshold: threshold > 0 ? threshold : groups.length,
    mac,
    lastModified,
    macOnlyEncrypted: /^(1|true)$/i.test(textAt(entries, "mac_only_encrypted")),
  };
}

function readSelection(entries: Record<string, unknown>): Selection {
  const set = selectionNames.filter((name) => textAt(entries, name) !== "");
  if (set.length > 1) throw new Error(`sops has ${set.join(" and ")}: only one may be set`);
  return Object.fromEntries(set.map((name) => [name, textAt(entries, name)]));
}

function readGroups(entries: Record<string, unknown>): MasterKey[][] {
  const own = readGroup(entries);
  if (own.length > 0 || !Array.isArray(entries.key_groups)) return [own];
  return entries.key_groups.map((group: unknown) => (isRecord(group) ? readGroup(group) : []));
}

function readGroup(entries: Record<string, unknown>): MasterKey[] {
  return keyTypes.flatMap((type) => {
    const keys = entries[type];
    if (!Array.isArray(keys)) return [];
    return keys.filter(isRecord).map((key) => ({
      type,
      fields: textsOf(key),
      context: isRecord(key.context) ? textsOf(key.context) : {},
    }));
  });
}

function textsOf(record: Record<string, unknown>): Record<string, string> {
  const entries = Object.entries(record);
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
}

function textAt(record: Record<string, unknown>, name: string): string {
  const value = record[name];
  return typeof value === "string" ? value : "";
}
