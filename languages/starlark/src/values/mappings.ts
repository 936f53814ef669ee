import { StarlarkError } from "../script-error.ts";
import { spend } from "./steps.ts";
import { freeze, type Key, keyOf, StarObject, type Value, type Writer } from "./value.ts";

type Equal = (one: Value, other: Value) => boolean;

/** What dict and set have in common: they keep order, and nothing changes them while they are iterated. */
abstract class Hashed extends StarObject {
  #isFrozen = false;
  #iterations = 0;

  /** Throws where it cannot be changed now. */
  checkMutable(verb: string): void {
    if (this.#isFrozen) throw new StarlarkError(`cannot ${verb} frozen hash table`);
    if (this.#iterations > 0) throw new StarlarkError(`cannot ${verb} hash table during iteration`);
  }

  /** Whether it was not frozen before. */
  protected becomeFrozen(): boolean {
    const isFirst = !this.#isFrozen;
    this.#isFrozen = true;
    return isFirst;
  }

  protected *guarded<T>(source: Iterable<T>): Generator<T> {
    this.#iterations++;
    try {
      for (const one of source) {
        spend(1);
        yield one;
      }
    } finally {
      this.#iterations--;
    }
  }
}

export class StarDict extends Hashed {
  readonly type = "dict";
  readonly #entries = new Map<Key, [Value, Value]>();

  static of(entries: Iterable<readonly [Value, Value]>): StarDict {
    const dict = new StarDict();
    for (const [key, value] of entries) dict.set(key, value);
    return dict;
  }

  repr(write: Writer): string {
    const entries = [...this.#entries.values()].map(([key, value]) => `${write(key)}: ${write(value)}`);
    return `{${entries.join(", ")}}`;
  }

  override truth(): boolean {
    return this.#entries.size > 0;
  }

  override length(): number {
    return this.#entries.size;
  }

  override freeze(): void {
    if (this.becomeFrozen()) for (const [, value] of this.#entries.values()) freeze(value);
  }

  /** Keys. */
  override *elements(): Generator<Value> {
    for (const [key] of this.guarded(this.#entries.values())) yield key;
  }

  entries(): [Value, Value][] {
    spend(this.#entries.size);
    return [...this.#entries.values()].map(([key, value]) => [key, value]);
  }

  firstEntry(): [Value, Value] | undefined {
    return this.#entries.values().next().value;
  }

  /** Throws where the value can be no key. */
  get(key: Value): Value | undefined {
    return this.#entries.get(keyOf(key))?.[1];
  }

  override has(key: Value): boolean {
    try {
      return this.#entries.has(keyOf(key));
    } catch (error) {
      if (error instanceof StarlarkError) return false;
      throw error;
    }
  }

  set(key: Value, value: Value): void {
    this.checkMutable("insert into");
    const found = keyOf(key);
    const entry = this.#entries.get(found);
    if (entry) entry[1] = value;
    else this.#entries.set(found, [key, value]);
  }

  /** What was there. */
  delete(key: Value): Value | undefined {
    this.checkMutable("delete from");
    const found = keyOf(key);
    const entry = this.#entries.get(found);
    this.#entries.delete(found);
    return entry?.[1];
  }

  clear(): void {
    this.checkMutable("clear");
    this.#entries.clear();
  }

  override equals(other: StarObject, equal: Equal): boolean {
    if (!(other instanceof StarDict) || other.#entries.size !== this.#entries.size) return false;
    for (const [key, [, value]] of this.#entries) {
      const against = other.#entries.get(key);
      if (!against || !equal(value, against[1])) return false;
    }
    return true;
  }
}

export class StarSet extends Hashed {
  readonly type = "set";
  readonly #members = new Map<Key, Value>();

  static of(values: Iterable<Value>): StarSet {
    const set = new StarSet();
    for (const value of values) set.add(value);
    return set;
  }

  repr(write: Writer): string {
    return `set([${[...this.#members.values()].map(write).join(", ")}])`;
  }

  override truth(): boolean {
    return this.#members.size > 0;
  }

  override length(): number {
    return this.#members.size;
  }

  override freeze(): void {
    if (this.becomeFrozen()) for (const value of this.#members.values()) freeze(value);
  }

  override elements(): Generator<Value> {
    return this.guarded(this.#members.values());
  }

  first(): Value | undefined {
    return this.#members.values().next().value;
  }

  override has(value: Value): boolean {
    return this.#members.has(keyOf(value));
  }

  add(value: Value): void {
    this.checkMutable("insert into");
    const key = keyOf(value);
    if (!this.#members.has(key)) this.#members.set(key, value);
  }

  /** Whether it was there. */
  delete(value: Value): boolean {
    this.checkMutable("delete from");
    return this.#members.delete(keyOf(value));
  }

  clear(): void {
    this.checkMutable("clear");
    this.#members.clear();
  }

  override equals(other: StarObject): boolean {
    if (!(other instanceof StarSet) || other.#members.size !== this.#members.size) return false;
    return [...this.#members.keys()].every((key) => other.#members.has(key));
  }

  isSubsetOf(other: StarSet): boolean {
    spend(this.#members.size);
    return [...this.#members.keys()].every((key) => other.#members.has(key));
  }

  union(other: StarSet): StarSet {
    return StarSet.of([...this.#members.values(), ...other.#members.values()]);
  }

  intersection(other: StarSet): StarSet {
    return this.#where((key) => other.#members.has(key));
  }

  difference(other: StarSet): StarSet {
    return this.#where((key) => !other.#members.has(key));
  }

  #where(isKept: (key: Key) => boolean): StarSet {
    spend(this.#members.size);
    return StarSet.of([...this.#members].flatMap(([key, value]) => (isKept(key) ? [value] : [])));
  }
}
