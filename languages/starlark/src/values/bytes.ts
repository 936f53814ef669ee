import { StarlarkError } from "../script-error.ts";
import { quote } from "./quote.ts";
import { compositeKey, type Key, StarObject, typeOf, type Value } from "./value.ts";

export class StarBytes extends StarObject {
  readonly type = "bytes";
  /** A char for each byte. */
  readonly data: string;

  constructor(data: string) {
    super();
    this.data = data;
  }

  repr(): string {
    return `b${quote(this.data)}`;
  }

  override truth(): boolean {
    return this.data !== "";
  }

  override length(): number {
    return this.data.length;
  }

  override key(): Key {
    return compositeKey("bytes", [this.data]);
  }

  override has(value: Value): boolean {
    if (value instanceof StarBytes) return this.data.includes(value.data);
    if (typeof value !== "bigint")
      throw new StarlarkError(`'in bytes' requires bytes or int as left operand, not ${typeOf(value)}`);
    if (value < 0n || value > 255n)
      throw new StarlarkError(`int in bytes: ${value} out of range (want value in unsigned 8-bit range)`);
    return this.data.includes(String.fromCharCode(Number(value)));
  }

  override equals(other: StarObject): boolean {
    return other instanceof StarBytes && other.data === this.data;
  }

  override order(other: StarObject): number | undefined {
    if (!(other instanceof StarBytes)) return undefined;
    return this.data < other.data ? -1 : this.data > other.data ? 1 : 0;
  }
}
