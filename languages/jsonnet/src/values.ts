import { JsonnetError, type Location } from "./jsonnet-error.ts";
import type { Visibility } from "./syntax.ts";

export type Value = null | boolean | number | string | JsonnetArray | JsonnetObject | JsonnetFunction;

/** A value that is computed when first asked for. */
export class Thunk {
  #compute: (() => Value) | undefined;
  #value: Value | undefined;
  #running = false;

  constructor(compute: () => Value) {
    this.#compute = compute;
  }

  static of(value: Value): Thunk {
    const thunk = new Thunk(() => value);
    thunk.#compute = undefined;
    thunk.#value = value;
    return thunk;
  }

  force(): Value {
    if (this.#value !== undefined) return this.#value;
    if (this.#running || !this.#compute) throw new JsonnetError("infinite recursion: the value needs itself");
    this.#running = true;
    try {
      this.#value = this.#compute();
    } finally {
      this.#running = false;
    }
    this.#compute = undefined;
    return this.#value;
  }
}

export class JsonnetArray {
  readonly items: readonly Thunk[];
  constructor(items: readonly Thunk[]) {
    this.items = items;
  }
  static of(values: readonly Value[]): JsonnetArray {
    return new JsonnetArray(values.map(Thunk.of));
  }
  values(): Value[] {
    return this.items.map((item) => item.force());
  }
}

export interface FunctionParam {
  name: string;
  hasDefault: boolean;
}

export class JsonnetFunction {
  readonly params: readonly FunctionParam[];
  /** Arguments by place; undefined where the default is to be used. */
  readonly invoke: (given: readonly (Thunk | undefined)[], at: Location | undefined) => Value;
  constructor(params: readonly FunctionParam[], invoke: JsonnetFunction["invoke"]) {
    this.params = params;
    this.invoke = invoke;
  }
  call(...values: readonly Value[]): Value {
    return this.invoke(
      this.params.map((_, at) => (values[at] === undefined ? undefined : Thunk.of(values[at]))),
      undefined,
    );
  }
}

export interface Field {
  visibility: Visibility;
  adds: boolean;
  compute: (self: JsonnetObject, level: number) => Value;
}

/** One object literal; an object is a pile of them, each inheriting from those below. */
export interface Layer {
  fields: ReadonlyMap<string, Field>;
  asserts: readonly ((self: JsonnetObject, level: number) => void)[];
}

export class JsonnetObject {
  readonly layers: readonly Layer[];
  readonly #values = new Map<string, Thunk>();
  #asserted: "no" | "running" | "yes" = "no";

  constructor(layers: readonly Layer[]) {
    this.layers = layers;
  }

  static of(values: Readonly<Record<string, Value>>): JsonnetObject {
    const fields = new Map<string, Field>();
    for (const [name, value] of Object.entries(values))
      fields.set(name, { visibility: ":", adds: false, compute: () => value });
    return new JsonnetObject([{ fields, asserts: [] }]);
  }

  plus(other: JsonnetObject): JsonnetObject {
    return new JsonnetObject([...this.layers, ...other.layers]);
  }

  without(name: string): JsonnetObject {
    const layers = this.layers.map(({ fields, asserts }) => ({
      fields: new Map([...fields].filter(([one]) => one !== name)),
      asserts,
    }));
    return new JsonnetObject(layers);
  }

  has(name: string, below = this.layers.length): boolean {
    return this.#levelOf(name, below) >= 0;
  }

  /** Names in order of code points; hidden ones on request. */
  names(hidden: boolean): string[] {
    const shown = new Map<string, boolean>();
    for (const { fields } of this.layers)
      for (const [name, { visibility }] of fields)
        shown.set(name, visibility === ":" ? (shown.get(name) ?? true) : visibility === ":::");
    return [...shown]
      .filter(([, isShown]) => isShown || hidden)
      .map(([name]) => name)
      .toSorted(compareStrings);
  }

  get(name: string): Value | undefined {
    this.checkAsserts();
    return this.getBelow(name, this.layers.length);
  }

  /** As super sees it: layers under `below` only, with the whole as self. */
  getBelow(name: string, below: number): Value | undefined {
    const level = this.#levelOf(name, below);
    if (level < 0) return undefined;
    const key = `${level} ${name}`;
    let thunk = this.#values.get(key);
    if (!thunk) {
      const field = this.layers[level]?.fields.get(name);
      thunk = new Thunk(() => (field ? field.compute(this, level) : null));
      this.#values.set(key, thunk);
    }
    return thunk.force();
  }

  checkAsserts(): void {
    if (this.#asserted !== "no") return;
    this.#asserted = "running";
    this.layers.forEach(({ asserts }, level) => {
      for (const check of asserts) check(this, level);
    });
    this.#asserted = "yes";
  }

  #levelOf(name: string, below: number): number {
    for (let level = below - 1; level >= 0; level -= 1)
      if (this.layers[level]?.fields.has(name)) return level;
    return -1;
  }
}

export function typeOf(value: Value): string {
  if (value === null) return "null";
  if (value instanceof JsonnetArray) return "array";
  if (value instanceof JsonnetObject) return "object";
  if (value instanceof JsonnetFunction) return "function";
  return typeof value;
}

/** By code point, as Jsonnet compares strings; JavaScript compares by UTF-16 unit. */
export function compareStrings(left: string, right: string): number {
  if (left === right) return 0;
  const wide = /[\ud800-\udfff]/;
  if (!wide.test(left) && !wide.test(right)) return left < right ? -1 : 1;
  const a = Array.from(left, (one) => one.codePointAt(0) ?? 0);
  const b = Array.from(right, (one) => one.codePointAt(0) ?? 0);
  for (let at = 0; at < Math.min(a.length, b.length); at += 1) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
