/** Where something stands in an order: by its key, and among equal keys by what nothing else is called. */
export interface Place {
  readonly key: string | number;
  readonly id: string;
}

/** Keys of one order are all texts or all numbers. Texts stand by their code units, as Go sorts them. */
export function comparePlaces(left: Place, right: Place): number {
  if (left.key !== right.key) return left.key < right.key ? -1 : 1;
  if (left.id === right.id) return 0;
  return left.id < right.id ? -1 : 1;
}

/** Values in an order that is kept through changes: a change costs a search for its place, a page none of the sorting. */
export class KeptOrder<T> {
  readonly #placeOf: (value: T) => Place;
  readonly #values: T[];

  constructor(values: Iterable<T>, placeOf: (value: T) => Place) {
    this.#placeOf = placeOf;
    const placed = Array.from(values, (value) => ({ value, place: placeOf(value) }));
    placed.sort((left, right) => comparePlaces(left.place, right.place));
    this.#values = placed.map(({ value }) => value);
  }

  get size(): number {
    return this.#values.length;
  }

  /** Another version of a value, or an end, or a beginning. */
  replace(before: T | undefined, now: T | undefined): void {
    if (before !== undefined) {
      const at = this.#firstFrom(this.#placeOf(before));
      if (this.#values[at] === before) this.#values.splice(at, 1);
    }
    if (now !== undefined) this.#values.splice(this.#firstFrom(this.#placeOf(now)), 0, now);
  }

  /** From what stands behind `after` to the end, or, descending, from what stands before it to the beginning. */
  *from(after: Place | undefined, isDescending: boolean): Iterable<T> {
    const values = this.#values;
    const step = isDescending ? -1 : 1;
    let at = isDescending ? values.length - 1 : 0;
    if (after) {
      at = this.#firstFrom(after) + (isDescending ? -1 : 0);
      const found = values[at];
      if (!isDescending && found !== undefined && comparePlaces(this.#placeOf(found), after) === 0) at += 1;
    }
    for (; at >= 0 && at < values.length; at += step) {
      const value = values[at];
      if (value !== undefined) yield value;
    }
  }

  /** Index of the first that does not stand before a place. */
  #firstFrom(place: Place): number {
    let [low, high] = [0, this.#values.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const value = this.#values[middle];
      if (value !== undefined && comparePlaces(this.#placeOf(value), place) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
