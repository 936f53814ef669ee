import { isRecord, KeyIndex } from "@capstan/formats";
import type { FieldSet, KeyedItem } from "./field-set.ts";

export type Fields = { readonly [name: string]: unknown };

/** The one key field that has a default and is left out by nearly everyone. */
export function withDefaultKeys(names: readonly string[], item: Fields): Fields {
  return names.includes("protocol") && item.protocol === undefined ? { ...item, protocol: "TCP" } : item;
}

export function keyFields(names: readonly string[], item: Fields): Fields {
  return Object.fromEntries(names.map((name) => [name, item[name]]));
}

/** Names of the fields that tell the items of a list apart: those of its first one. */
export function keyNames({ items }: FieldSet): readonly string[] {
  return Object.keys(items[0]?.key ?? {});
}

const indexes = new WeakMap<FieldSet, KeyIndex<KeyedItem>>();

/** What is owned of an item of a live list, which has all fields of its key. */
export function findItem(owned: FieldSet, item: unknown): KeyedItem | undefined {
  if (!isRecord(item)) return undefined;
  const names = keyNames(owned);
  if (names.some((name) => item[name] === undefined)) return undefined;
  const index = indexes.get(owned) ?? new KeyIndex(owned.items, ({ key }) => key);
  indexes.set(owned, index);
  return index.matching(names, item)[0];
}
