/** So many places are left empty at the front before the others move up: moving for each is quadratic in V8 for long arrays. */
const mostEmpty = 1_000;

/** What left it is not held any more, which a place further on in an array alone would go on doing. */
export class Queue<Value extends object> {
  #values: (Value | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#values.length - this.#head;
  }

  push(value: Value): void {
    this.#values.push(value);
  }

  shift(): Value | undefined {
    if (this.length === 0) return undefined;
    const value = this.#values[this.#head];
    this.#values[this.#head] = undefined;
    this.#head += 1;
    if (this.#head > mostEmpty || this.length === 0) {
      this.#values.splice(0, this.#head);
      this.#head = 0;
    }
    return value;
  }

  /** Those from a place on. */
  from(place: number): Value[] {
    return this.#values.slice(this.#head + place).filter((value) => value !== undefined);
  }

  /** Place of the first that is so, where all after it are so as well; the length where none is. */
  firstWhere(isSo: (value: Value) => boolean): number {
    let [low, high] = [this.#head, this.#values.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const value = this.#values[middle];
      if (value !== undefined && isSo(value)) high = middle;
      else low = middle + 1;
    }
    return low - this.#head;
  }
}
