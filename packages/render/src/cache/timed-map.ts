import { BoundedMap, type Clock } from "@capstan/flow";
/** A bounded map of which some values are kept until a time only; they are let go at the first use after it. */
export class TimedMap<Value> {
  readonly #clock: Clock;
  readonly #values: BoundedMap<Value>;
  readonly #ends = new Map<string, number>();
  #soonest = Number.POSITIVE_INFINITY;

  constructor(limit: number, clock: Clock) {
    this.#values = new BoundedMap(limit);
    this.#clock = clock;
  }

  get(key: string): Value | undefined {
    this.#sweep();
    return this.#values.get(key);
  }

  set(
    key: string,
    value: Value,
    { weight, until = Number.POSITIVE_INFINITY }: { weight: number; until?: number | undefined },
  ): void {
    this.#sweep();
    this.#values.set(key, value, weight);
    this.#ends.delete(key);
    if (until === Number.POSITIVE_INFINITY) return;
    this.#ends.set(key, until);
    this.#soonest = Math.min(this.#soonest, until);
  }

  #sweep(): void {
    const now = this.#clock.now();
    if (now < this.#soonest) return;
    this.#soonest = Number.POSITIVE_INFINITY;
    for (const [key, until] of this.#ends) {
      if (until > now) this.#soonest = Math.min(this.#soonest, until);
      else {
        this.#ends.delete(key);
        this.#values.delete(key);
      }
    }
  }
}
