import { equalJson, isRecord } from "@capstan/model";
import type { FieldSet, KeyedItem } from "./field-set.ts";

export type Fields = { readonly [name: string]: unknown };

/** The one key field that has a default and is left out by nearly everyone. */
export function withDefaultKeys(names: readonly string[], item: Fields): Fields {
  return names.includes("protocol") && item.protocol === undefined ? { ...item, protocol: "TCP" } : item;
}

export function hasSameKey(names: readonly string[], desired: Fields, live: Fields): boolean {
  return names.every((name) => desired[name] === undefined || equalJson(desired[name], live[name]));
}

export function keyFields(names: readonly string[], item: Fields): Fields {
  return Object.fromEntries(names.map((name) => [name, item[name]]));
}

export function findItem(owned: FieldSet, item: unknown): KeyedItem | undefined {
  if (!isRecord(item)) return undefined;
  return owned.items.find(({ key }) =>
    Object.entries(key).every(([name, value]) => equalJson(value, item[name])),
  );
}
