import { JsonnetError } from "./jsonnet-error.ts";
import { JsonnetArray, JsonnetFunction, JsonnetObject, type Thunk, typeOf, type Value } from "./values.ts";

/** Arguments of a built-in function, each checked when it is asked for. */
export class Arguments {
  readonly #function: string;
  readonly #names: readonly string[];
  readonly #given: readonly (Thunk | undefined)[];

  constructor(name: string, names: readonly string[], given: readonly (Thunk | undefined)[]) {
    this.#function = name;
    this.#names = names;
    this.#given = given;
  }

  has(at: number): boolean {
    return this.#given[at] !== undefined;
  }

  value(at: number): Value {
    return this.#given[at]?.force() ?? null;
  }

  #fail(at: number, wanted: string): JsonnetError {
    return new JsonnetError(
      `std.${this.#function}: ${this.#names[at]} must be ${wanted}, got ${typeOf(this.value(at))}`,
    );
  }

  text(at: number): string {
    const value = this.value(at);
    if (typeof value !== "string") throw this.#fail(at, "a string");
    return value;
  }

  number(at: number): number {
    const value = this.value(at);
    if (typeof value !== "number") throw this.#fail(at, "a number");
    return value;
  }

  whole(at: number): number {
    const value = this.number(at);
    if (!Number.isInteger(value)) throw this.#fail(at, "a whole number");
    return value;
  }

  boolean(at: number): boolean {
    const value = this.value(at);
    if (typeof value !== "boolean") throw this.#fail(at, "a boolean");
    return value;
  }

  array(at: number): JsonnetArray {
    const value = this.value(at);
    if (!(value instanceof JsonnetArray)) throw this.#fail(at, "an array");
    return value;
  }

  /** An array, or a string as an array of its characters. */
  sequence(at: number): JsonnetArray {
    const value = this.value(at);
    return typeof value === "string" ? JsonnetArray.of(Array.from(value)) : this.array(at);
  }

  object(at: number): JsonnetObject {
    const value = this.value(at);
    if (!(value instanceof JsonnetObject)) throw this.#fail(at, "an object");
    return value;
  }

  function(at: number): JsonnetFunction {
    const value = this.value(at);
    if (!(value instanceof JsonnetFunction)) throw this.#fail(at, "a function");
    return value;
  }
}

/** Names of parameters, a "?" behind those that may be left out; then what the function does. */
export type Native = readonly [params: string, compute: (args: Arguments) => Value];

export type Natives = Readonly<Record<string, Native>>;

export function nativeFunction(name: string, [params, compute]: Native): JsonnetFunction {
  const names = params === "" ? [] : params.split(" ");
  const bare = names.map((one) => one.replace("?", ""));
  const described = names.map((one, at) => ({ name: bare[at] ?? "", hasDefault: one.endsWith("?") }));
  return new JsonnetFunction(described, (given) => compute(new Arguments(name, bare, given)));
}

/** Upper bound of what one built-in may make: a program cannot ask for the whole memory in one call. */
export const maxItems = 10_000_000;

export function checkSize(count: number, what: string): number {
  if (!(count >= 0)) throw new JsonnetError(`${what} must not be negative, got ${count}`);
  if (count > maxItems) throw new JsonnetError(`${what} is too large: ${count}, the limit is ${maxItems}`);
  return count;
}
