import { posix } from "node:path";
import { isRecord } from "@capstan/formats";
import { chartFields, generatorFields, listFields, pathFields } from "./references.ts";

type Names = ReadonlyMap<string, string>;

/** A kustomization that names other files, directories and addresses: the counterpart of `namedFiles`. */
export function renameFiles(content: Record<string, unknown>, names: Names): Record<string, unknown> {
  const renamed = { ...content };
  for (const field of listFields) changeItems(renamed, field, (item) => rename(item, names));
  for (const field of pathFields) changeItems(renamed, field, (item) => renameFields(item, ["path"], names));
  for (const field of generatorFields)
    changeItems(renamed, field, (item) => renameFields(item, ["files", "envs", "env"], names));
  for (const field of chartFields)
    changeItems(renamed, field, (item) => renameFields(item, ["valuesFile", "additionalValuesFiles"], names));
  if (renamed.openapi !== undefined) renamed.openapi = renameFields(renamed.openapi, ["path"], names);
  return renamed;
}

function changeItems(
  content: Record<string, unknown>,
  field: string,
  change: (item: unknown) => unknown,
): void {
  const items = content[field];
  if (Array.isArray(items)) content[field] = items.map(change);
}

function renameFields(value: unknown, fields: readonly string[], names: Names): unknown {
  if (!isRecord(value)) return value;
  const renamed = { ...value };
  for (const field of fields) {
    const item = renamed[field];
    if (item === undefined) continue;
    const one = (text: unknown) => (field === "files" ? renameKeyed(text, names) : rename(text, names));
    renamed[field] = Array.isArray(item) ? item.map(one) : one(item);
  }
  return renamed;
}

function rename(text: unknown, names: Names): unknown {
  return typeof text === "string" ? (names.get(text) ?? text) : text;
}

/** `[key=]path`; without a key the last part of the path is it. */
function renameKeyed(text: unknown, names: Names): unknown {
  if (typeof text !== "string") return text;
  const equals = text.indexOf("=");
  const path = text.slice(equals + 1);
  const renamed = names.get(path);
  if (renamed === undefined) return text;
  const key = equals < 0 ? posix.basename(new URL(path).pathname) : text.slice(0, equals);
  return `${key}=${renamed}`;
}
