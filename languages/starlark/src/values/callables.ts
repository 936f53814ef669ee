import { StarlarkError } from "../script-error.ts";
import {
  compositeKey,
  freeze,
  type Key,
  keyOf,
  keyText,
  StarObject,
  type Value,
  type Writer,
} from "./value.ts";

export type NamedArgument = readonly [name: string, value: Value];

/** What a native function may ask of the running script. */
export interface Host {
  call(target: Value, positional: readonly Value[], named: readonly NamedArgument[]): Value;
  print(line: string): void;
  readonly nowMs: number;
}

export abstract class Callable extends StarObject {
  abstract readonly name: string;

  override key(): Key {
    return this;
  }

  abstract invoke(positional: readonly Value[], named: readonly NamedArgument[], host: Host): Value;
}

export type NativeBody = (call: {
  name: string;
  positional: readonly Value[];
  named: readonly NamedArgument[];
  host: Host;
}) => Value;

export class NativeFunction extends Callable {
  readonly type = "builtin_function_or_method";
  readonly name: string;
  readonly #body: NativeBody;
  readonly #receiver: Value | undefined;

  constructor(name: string, body: NativeBody, receiver?: Value) {
    super();
    this.name = name;
    this.#body = body;
    this.#receiver = receiver;
  }

  repr(): string {
    const of = this.#receiver === undefined ? "" : ` of ${receiverType(this.#receiver)} value`;
    return `<built-in ${this.#receiver === undefined ? "function" : "method"} ${this.name}${of}>`;
  }

  override freeze(): void {
    if (this.#receiver !== undefined) freeze(this.#receiver);
  }

  invoke(positional: readonly Value[], named: readonly NamedArgument[], host: Host): Value {
    return this.#body({ name: this.name, positional, named, host });
  }
}

const receiverType = (value: Value): string =>
  value instanceof StarObject ? value.type : typeof value === "string" ? "string" : "";

/** A value with fields. */
export class Struct extends StarObject {
  readonly type = "struct";
  readonly fields: ReadonlyMap<string, Value>;

  constructor(fields: Iterable<readonly [string, Value]>) {
    super();
    this.fields = new Map([...fields].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  repr(write: Writer): string {
    return `struct(${[...this.fields].map(([name, value]) => `${name} = ${write(value)}`).join(", ")})`;
  }

  override key(): Key {
    return compositeKey(
      "struct",
      [...this.fields].map(([name, value]) => keyText(name) + keyText(keyOf(value))),
    );
  }

  override freeze(): void {
    for (const value of this.fields.values()) freeze(value);
  }

  override attribute(name: string): Value {
    const value = this.fields.get(name);
    if (value === undefined) throw new StarlarkError(`struct has no .${name} attribute`);
    return value;
  }

  override attributeNames(): string[] {
    return [...this.fields.keys()];
  }

  override equals(other: StarObject, equal: (one: Value, other: Value) => boolean): boolean {
    if (!(other instanceof Struct) || other.fields.size !== this.fields.size) return false;
    return [...this.fields].every(([name, value]) => {
      const against = other.fields.get(name);
      return against !== undefined && equal(value, against);
    });
  }
}

/** A library: functions and constants by name. */
export class Module extends StarObject {
  readonly type = "module";
  readonly name: string;
  readonly members: ReadonlyMap<string, Value>;

  constructor(name: string, members: Iterable<readonly [string, Value]>) {
    super();
    this.name = name;
    this.members = new Map(members);
  }

  repr(): string {
    return `<module "${this.name}">`;
  }

  override key(): Key {
    throw new StarlarkError("unhashable: module");
  }

  override attribute(name: string): Value | undefined {
    return this.members.get(name);
  }

  override attributeNames(): string[] {
    return [...this.members.keys()];
  }
}
