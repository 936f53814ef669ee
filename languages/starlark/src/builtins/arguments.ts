import { named as labelled, smallInt } from "../operators/indices.ts";
import { nearestName } from "../operators/nearest-name.ts";
import { StarlarkError } from "../script-error.ts";
import { Callable, type Host, type NamedArgument, NativeFunction } from "../values/callables.ts";
import { isIterable, type StarObject, typeOf, type Value } from "../values/value.ts";

interface Call {
  name: string;
  host: Host;
  positional: readonly Value[];
  named: readonly NamedArgument[];
}

/** Arguments of a native function, read by place once `take` or `fit` has counted them. */
export class Arguments {
  readonly name: string;
  readonly host: Host;
  readonly positional: readonly Value[];
  readonly named: readonly NamedArgument[];
  #values: readonly (Value | undefined)[] = [];
  #labels: readonly string[] = [];

  constructor(call: Call) {
    this.name = call.name;
    this.host = call.host;
    this.positional = call.positional;
    this.named = call.named;
  }

  /** By place only (starlark.UnpackPositionalArgs). */
  take(least: number, most = least): this {
    const { length } = this.positional;
    if (this.named.length > 0) throw this.error("unexpected keyword arguments");
    const bound = least === most ? "" : length < least ? "at least " : "at most ";
    if (length < least || length > most)
      throw this.error(`got ${length} arguments, want ${bound}${length < least ? least : most}`);
    this.#values = this.positional;
    return this;
  }

  /** By place or name; optional ones end with "?" (starlark.UnpackArgs). */
  fit(...parameters: readonly string[]): this {
    const labels = parameters.map((one) => one.replace("?", ""));
    if (this.positional.length > labels.length)
      throw this.error(`got ${this.positional.length} arguments, want at most ${labels.length}`);
    const values: (Value | undefined)[] = [...this.positional];
    for (const [name, value] of this.named) {
      const index = labels.indexOf(name);
      if (index < 0) throw this.error(`unexpected keyword argument "${name}"${hint(name, labels)}`);
      if (values[index] !== undefined) throw this.error(`got multiple values for keyword argument "${name}"`);
      values[index] = value;
    }
    const missing = parameters.findIndex((one, index) => !one.endsWith("?") && values[index] === undefined);
    if (missing >= 0) throw this.error(`missing argument for ${labels[missing]}`);
    this.#values = values;
    this.#labels = labels;
    return this;
  }

  /** None where it is not given. */
  value(index: number): Value {
    return this.#values[index] ?? null;
  }

  optional(index: number): Value | undefined {
    return this.#values[index];
  }

  text(index: number, fallback?: string): string {
    const value = this.#or(index, fallback);
    if (typeof value !== "string") throw this.#wrong(index, value, "string");
    return value;
  }

  int(index: number, fallback?: number): number {
    const value = this.optional(index);
    if (value === undefined && fallback !== undefined) return fallback;
    return this.#about(index, () => longInt(this.value(index)));
  }

  bool(index: number, fallback?: boolean): boolean {
    const value = this.#or(index, fallback);
    if (typeof value !== "boolean") throw this.#wrong(index, value, "bool");
    return value;
  }

  callable(index: number): Callable {
    const value = this.value(index);
    if (!(value instanceof Callable)) throw this.#wrong(index, value, "callable");
    return value;
  }

  iterable(index: number): StarObject {
    const value = this.value(index);
    if (!isIterable(value)) throw this.#wrong(index, value, "iterable");
    return value;
  }

  elements(index: number): Iterable<Value> {
    return this.iterable(index).elements() ?? [];
  }

  error(problem: string): StarlarkError {
    return new StarlarkError(`${this.name}: ${problem}`);
  }

  /** Names the function before what goes wrong. */
  naming<T>(attempt: () => T): T {
    return labelled(this.name, attempt);
  }

  onlyNamed(): Arguments {
    return new Arguments({ ...this.#call(), positional: [] });
  }

  onlyPositional(): Arguments {
    return new Arguments({ ...this.#call(), named: [] });
  }

  noNames(): this {
    if (this.named.length > 0) throw new StarlarkError(`${this.name} does not accept keyword arguments`);
    return this;
  }

  #call(): Call {
    const { name, host, positional, named } = this;
    return { name, host, positional, named };
  }

  #or(index: number, fallback: Value | undefined): Value {
    return this.#values[index] ?? fallback ?? null;
  }

  #about<T>(index: number, read: () => T): T {
    return labelled(`${this.name}: for parameter ${this.#labels[index] ?? index + 1}`, read);
  }

  #wrong(index: number, value: Value, wanted: string): StarlarkError {
    return this.error(
      `for parameter ${this.#labels[index] ?? index + 1}: got ${typeOf(value)}, want ${wanted}`,
    );
  }
}

/** Of 64 bits; beyond 2^53 JavaScript cannot count, and nothing here is that long. */
function longInt(value: Value): number {
  if (typeof value !== "bigint") return smallInt(value);
  if (BigInt.asIntN(64, value) !== value)
    throw new StarlarkError(`${value} out of range (want value in signed 64-bit range)`);
  return Number(value);
}

function hint(name: string, labels: readonly string[]): string {
  const near = nearestName(name, labels);
  return near === undefined ? "" : ` (did you mean ${near}?)`;
}

export type Native = (args: Arguments) => Value;

export const native = (name: string, body: Native): NativeFunction =>
  new NativeFunction(name, (call) => body(new Arguments(call)));

export const natives = (bodies: Readonly<Record<string, Native>>): [string, Value][] =>
  Object.entries(bodies).map(([name, body]) => [name, native(name, body)]);
