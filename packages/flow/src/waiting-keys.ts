/** Keys that wait, each once and since a time, in the order in which their turns come. */
export class WaitingKeys {
  /** Those that go first, and the others. */
  readonly #first = new Map<string, number>();
  readonly #others = new Map<string, number>();
  /** The last turn was of one that goes first: then it is one of the others', so that nobody keeps them for ever. */
  #wasFirst = false;

  get size(): number {
    return this.#first.size + this.#others.size;
  }

  /** Whether it waits already, and goes first if it shall. */
  has(key: string, goesFirst: boolean): boolean {
    return this.#first.has(key) || (!goesFirst && this.#others.has(key));
  }

  /** Gives whether it did not wait yet; one that does comes to go first, since when it has waited. */
  add(key: string, goesFirst: boolean, now: number): boolean {
    const since = this.#others.get(key);
    this.#others.delete(key);
    (goesFirst ? this.#first : this.#others).set(key, since ?? now);
    return since === undefined;
  }

  delete(key: string): void {
    this.#first.delete(key);
    this.#others.delete(key);
  }

  clear(): void {
    this.#first.clear();
    this.#others.clear();
  }

  /** Takes the key whose turn it is, of those that may have one; with the time since when it has waited. */
  take(may: (key: string) => boolean): [key: string, since: number] | undefined {
    for (const waiting of this.#wasFirst ? [this.#others, this.#first] : [this.#first, this.#others])
      for (const [key, since] of waiting) {
        if (!may(key)) continue;
        waiting.delete(key);
        this.#wasFirst = waiting === this.#first;
        return [key, since];
      }
    return undefined;
  }

  *[Symbol.iterator](): Generator<[key: string, since: number]> {
    yield* this.#first;
    yield* this.#others;
  }
}
