import { StarlarkError } from "../script-error.ts";
import { spend } from "./steps.ts";
import {
  compositeKey,
  freeze,
  type Key,
  keyOf,
  keyText,
  StarObject,
  typeOf,
  type Value,
  type Writer,
} from "./value.ts";

type Equal = (one: Value, other: Value) => boolean;
type Compare = (one: Value, other: Value) => number;

export class StarList extends StarObject {
  readonly type = "list";
  readonly items: Value[];
  #isFrozen = false;
  #iterations = 0;

  constructor(items: Value[] = []) {
    super();
    this.items = items;
    spend(items.length >> 3);
  }

  repr(write: Writer): string {
    return `[${this.items.map(write).join(", ")}]`;
  }

  override truth(): boolean {
    return this.items.length > 0;
  }

  override length(): number {
    return this.items.length;
  }

  override freeze(): void {
    if (this.#isFrozen) return;
    this.#isFrozen = true;
    this.items.forEach(freeze);
  }

  override *elements(): Generator<Value> {
    this.#iterations++;
    try {
      yield* items(this.items);
    } finally {
      this.#iterations--;
    }
  }

  override order(other: StarObject, compare: Compare): number | undefined {
    return other instanceof StarList ? orderItems(this.items, other.items, compare) : undefined;
  }

  override equals(other: StarObject, equal: Equal): boolean {
    return other instanceof StarList && equalItems(this.items, other.items, equal);
  }

  /** Throws where the list cannot be changed now. */
  checkMutable(verb: string): void {
    if (this.#isFrozen) throw new StarlarkError(`cannot ${verb} frozen list`);
    if (this.#iterations > 0) throw new StarlarkError(`cannot ${verb} list during iteration`);
  }
}

export class StarTuple extends StarObject {
  readonly type = "tuple";
  readonly items: readonly Value[];

  constructor(items: readonly Value[]) {
    super();
    this.items = items;
  }

  repr(write: Writer): string {
    const inner = this.items.map(write).join(", ");
    return this.items.length === 1 ? `(${inner},)` : `(${inner})`;
  }

  override truth(): boolean {
    return this.items.length > 0;
  }

  override length(): number {
    return this.items.length;
  }

  override freeze(): void {
    this.items.forEach(freeze);
  }

  override key(): Key {
    spend(this.items.length);
    return compositeKey(
      "tuple",
      this.items.map((item) => keyText(keyOf(item))),
    );
  }

  override elements(): Generator<Value> {
    return items(this.items);
  }

  override order(other: StarObject, compare: Compare): number | undefined {
    return other instanceof StarTuple ? orderItems(this.items, other.items, compare) : undefined;
  }

  override equals(other: StarObject, equal: Equal): boolean {
    return other instanceof StarTuple && equalItems(this.items, other.items, equal);
  }
}

/** What `range` gives: numbers that nobody holds in memory. */
export class StarRange extends StarObject {
  readonly type = "range";
  readonly start: number;
  readonly stop: number;
  readonly step: number;
  readonly count: number;

  constructor(start: number, stop: number, step: number) {
    super();
    this.start = start;
    this.stop = stop;
    this.step = step;
    this.count = Math.max(0, Math.ceil((stop - start) / step));
  }

  repr(): string {
    if (this.step !== 1) return `range(${this.start}, ${this.stop}, ${this.step})`;
    return this.start === 0 ? `range(${this.stop})` : `range(${this.start}, ${this.stop})`;
  }

  override key(): Key {
    throw new StarlarkError("unhashable: range");
  }

  override truth(): boolean {
    return this.count > 0;
  }

  override length(): number {
    return this.count;
  }

  at(index: number): bigint {
    return BigInt(this.start + index * this.step);
  }

  slice(from: number, to: number, step: number): StarRange {
    return new StarRange(this.start + this.step * from, this.start + this.step * to, this.step * step);
  }

  override *elements(): Generator<Value> {
    for (let index = 0; index < this.count; index++) {
      spend(1);
      yield this.at(index);
    }
  }

  override has(value: Value): boolean {
    const number = typeof value === "number" ? Math.trunc(value) : value;
    if (typeof number !== "bigint" && !Number.isFinite(number))
      throw new StarlarkError(`'in <range>' requires integer as left operand, not ${typeOf(value)}`);
    const steps = (Number(number) - this.start) / this.step;
    return Number.isInteger(steps) && steps >= 0 && steps < this.count;
  }

  override equals(other: StarObject): boolean {
    if (!(other instanceof StarRange) || this.count !== other.count) return false;
    return this.count === 0 || (this.start === other.start && (this.count === 1 || this.step === other.step));
  }
}

/** Length may change under it only where the owner allows that. */
function* items(list: readonly Value[]): Generator<Value> {
  for (const item of list) {
    spend(1);
    yield item;
  }
}

function orderItems(one: readonly Value[], other: readonly Value[], compare: Compare): number {
  for (const [index, item] of one.entries()) {
    const against = other[index];
    if (against === undefined) return 1;
    const order = compare(item, against);
    if (order !== 0) return order;
  }
  return one.length - other.length;
}

function equalItems(one: readonly Value[], other: readonly Value[], equal: Equal): boolean {
  if (one.length !== other.length) return false;
  return one.every((item, index) => {
    const against = other[index];
    return against !== undefined && equal(item, against);
  });
}
