import { parseNanoseconds, printNanoseconds } from "@capstan/formats";
import { StarlarkError } from "../script-error.ts";
import { type Key, StarObject, type Value } from "../values/value.ts";

/** A length of time (go.starlark.net/lib/time), in nanoseconds. */
export class Duration extends StarObject {
  readonly type = "time.duration";
  readonly nanoseconds: bigint;

  constructor(nanoseconds: bigint) {
    super();
    if (BigInt.asIntN(64, nanoseconds) !== nanoseconds)
      throw new StarlarkError("int value out of range (want signed 64-bit value)");
    this.nanoseconds = nanoseconds;
  }

  /** `1h30m`, `1.5s`. */
  static parse(text: string): Duration {
    const nanoseconds = parseNanoseconds(text);
    if (nanoseconds === undefined) throw new StarlarkError(`time: invalid duration "${text}"`);
    return new Duration(nanoseconds);
  }

  repr(): string {
    return printNanoseconds(this.nanoseconds);
  }

  override truth(): boolean {
    return this.nanoseconds !== 0n;
  }

  override key(): Key {
    return `\u0100d${this.nanoseconds}`;
  }

  override attribute(name: string): Value | undefined {
    const whole = { milliseconds: 1_000_000n, microseconds: 1_000n, nanoseconds: 1n }[name];
    if (whole !== undefined) return this.nanoseconds / whole;
    const part = { hours: 3.6e12, minutes: 6e10, seconds: 1e9 }[name];
    if (part !== undefined) return Number(this.nanoseconds) / part;
    throw new StarlarkError(`unrecognized ${this.type} attribute "${name}"`);
  }

  override attributeNames(): string[] {
    return ["hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds"];
  }

  override equals(other: StarObject): boolean {
    return other instanceof Duration && other.nanoseconds === this.nanoseconds;
  }

  override order(other: StarObject): number | undefined {
    return other instanceof Duration ? Number(this.nanoseconds - other.nanoseconds) : undefined;
  }

  override binary(operator: string, other: Value, isLeft: boolean): Value | undefined {
    if (operator === "*" && typeof other === "bigint") return new Duration(this.nanoseconds * other);
    if (other instanceof Duration) return this.#with(operator, other.nanoseconds);
    if (operator !== "/" || (typeof other !== "bigint" && typeof other !== "number")) return undefined;
    if (!isLeft) throw new StarlarkError("unsupported operation");
    if (Number(other) === 0) throw new StarlarkError(`${this.type} division by zero`);
    if (typeof other === "bigint") return new Duration(this.nanoseconds / other);
    return new Duration(BigInt(Math.trunc(Number(this.nanoseconds) / other)));
  }

  #with(operator: string, other: bigint): Value | undefined {
    if (operator === "+") return new Duration(this.nanoseconds + other);
    if (operator === "-") return new Duration(this.nanoseconds - other);
    if (operator !== "/" && operator !== "//") return undefined;
    if (other === 0n) throw new StarlarkError(`${this.type} division by zero`);
    return operator === "//" ? this.nanoseconds / other : Number(this.nanoseconds) / Number(other);
  }
}
