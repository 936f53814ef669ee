import { isRecord } from "./is-record.ts";
import { canonicalJson } from "./json.ts";

type Fields = { readonly [name: string]: unknown };

/** Ways of leaving fields out of a key that are gone into: each is a walk through all items. */
const mostIndexes = 32;

/**
 * Items of a list, found by the fields that make up their key. A list may be as long as an object may be large: who
 * looks through it for each of its items has no end.
 */
export class KeyIndex<Item> {
  readonly #items: readonly Item[];
  readonly #fieldsOf: (item: Item) => unknown;
  /** For the names that were asked for: by what stands under them. */
  readonly #indexes: { names: readonly string[]; found: ReadonlyMap<string, readonly Item[]> }[] = [];

  constructor(items: readonly Item[], fieldsOf: (item: Item) => unknown) {
    this.#items = items;
    this.#fieldsOf = fieldsOf;
  }

  /**
   * Those whose fields of these names equal the given ones; a name that is not given counts for nothing.
   * None, where names were left out in so many other ways before that nobody means them.
   */
  matching(names: readonly string[], given: Fields): readonly Item[] {
    const areAllGiven = names.every((name) => given[name] !== undefined);
    const asked = areAllGiven ? names : names.filter((name) => given[name] !== undefined);
    return this.#indexOf(asked).get(textOf(asked, given)) ?? [];
  }

  #indexOf(names: readonly string[]): ReadonlyMap<string, readonly Item[]> {
    const known = this.#indexes.find((one) => areSame(one.names, names));
    if (known) return known.found;
    const found = new Map<string, Item[]>();
    if (this.#indexes.length === mostIndexes) return found;
    for (const item of this.#items) {
      const fields = this.#fieldsOf(item);
      if (!isRecord(fields)) continue;
      const text = textOf(names, fields);
      const others = found.get(text);
      if (others) others.push(item);
      else found.set(text, [item]);
    }
    this.#indexes.push({ names, found });
    return found;
  }
}

function areSame(one: readonly string[], other: readonly string[]): boolean {
  return one === other || (one.length === other.length && one.every((name, at) => name === other[at]));
}

function textOf(names: readonly string[], fields: Fields): string {
  let text = "";
  for (const name of names) {
    const value = fields[name];
    text += value === undefined ? "," : `${canonicalJson(value)},`;
  }
  return text;
}
