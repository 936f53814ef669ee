/** Several of one key. A class of its own tells it from a value. */
class Several<Value> extends Set<Value> {}

const none: readonly never[] = [];

/**
 * Values by a key that most have alone: an index of tens of thousands of names, of which few have several. A Set for
 * each takes two hundred bytes; here one that is alone takes none.
 */
export class ValuesByKey<Value extends string | object> {
  readonly #held = new Map<string, Value | Several<Value>>();

  /** Keys that have a value. */
  get size(): number {
    return this.#held.size;
  }

  keys(): Iterable<string> {
    return this.#held.keys();
  }

  has(key: string): boolean {
    return this.#held.has(key);
  }

  /** In the order in which they came. */
  of(key: string): Iterable<Value> {
    const held = this.#held.get(key);
    if (held === undefined) return none;
    return held instanceof Several ? held : [held];
  }

  countOf(key: string): number {
    const held = this.#held.get(key);
    if (held === undefined) return 0;
    return held instanceof Several ? held.size : 1;
  }

  add(key: string, value: Value): void {
    const held = this.#held.get(key);
    if (held === undefined) this.#held.set(key, value);
    else if (held instanceof Several) held.add(value);
    else if (held !== value) this.#held.set(key, new Several([held, value]));
  }

  remove(key: string, value: Value): void {
    const held = this.#held.get(key);
    if (held === value) this.#held.delete(key);
    if (!(held instanceof Several)) return;
    held.delete(value);
    if (held.size === 0) this.#held.delete(key);
  }
}
