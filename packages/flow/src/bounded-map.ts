/**
 * A map that forgets what was used longest ago once the weights of its values exceed a limit. What is used while there is
 * room for as much again counts as used when it was put there.
 */
export class BoundedMap<Value> {
  readonly #limit: number;
  readonly #entries = new Map<string, { value: Value; weight: number }>();
  #weight = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#entries.size;
  }

  get weight(): number {
    return this.#weight;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    // As long as there is room for as much again nothing goes soon, and to move it would be most of what this costs.
    if (this.#weight * 2 <= this.#limit) return entry.value;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Those used longest ago first. */
  entries(): [string, Value][] {
    return [...this.#entries].map(([key, { value }]) => [key, value]);
  }

  /** What alone would exceed the limit is not kept. */
  set(key: string, value: Value, weight = 1): void {
    this.delete(key);
    if (weight > this.#limit) return;
    this.#entries.set(key, { value, weight });
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#limit) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#weight -= entry.weight;
  }

  deleteWhere(matches: (key: string) => boolean): void {
    for (const key of this.#entries.keys()) if (matches(key)) this.delete(key);
  }
}
