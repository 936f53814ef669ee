import { isRecord } from "./is-record.ts";
import { canonicalJson } from "./json.ts";

type Fields = { readonly [name: string]: unknown };

/**
 * Items of a list, found by the fields that make up their key. A list may be as long as an object may be large: who
 * looks through it for each of its items has no end.
 */
export class KeyIndex<Item> {
  readonly #items: readonly Item[];
  readonly #fieldsOf: (item: Item) => unknown;
  /** By the names that are asked for, then by what stands under them. */
  readonly #indexes = new Map<string, ReadonlyMap<string, readonly Item[]>>();

  constructor(items: readonly Item[], fieldsOf: (item: Item) => unknown) {
    this.#items = items;
    this.#fieldsOf = fieldsOf;
  }

  /** Those whose fields of these names equal the given ones; a name that is not given counts for nothing. */
  matching(names: readonly string[], given: Fields): readonly Item[] {
    const asked = names.filter((name) => given[name] !== undefined);
    return this.#indexOf(asked).get(textOf(asked, given)) ?? [];
  }

  #indexOf(names: readonly string[]): ReadonlyMap<string, readonly Item[]> {
    const id = JSON.stringify(names);
    const known = this.#indexes.get(id);
    if (known) return known;
    const index = new Map<string, Item[]>();
    for (const item of this.#items) {
      const fields = this.#fieldsOf(item);
      if (!isRecord(fields)) continue;
      const text = textOf(names, fields);
      const found = index.get(text);
      if (found) found.push(item);
      else index.set(text, [item]);
    }
    this.#indexes.set(id, index);
    return index;
  }
}

function textOf(names: readonly string[], fields: Fields): string {
  const textOfOne = (value: unknown): string => (value === undefined ? "" : canonicalJson(value));
  return names.map((name) => textOfOne(fields[name])).join(",");
}
