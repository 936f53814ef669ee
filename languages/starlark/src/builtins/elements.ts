import { named, smallInt } from "../operators/indices.ts";
import { outOfRange } from "../operators/out-of-range.ts";
import { StarlarkError } from "../script-error.ts";
import { StarBytes } from "../values/bytes.ts";
import { spend } from "../values/steps.ts";
import { runeBytes, runesOf } from "../values/utf8.ts";
import { type Key, StarObject, type Value, type Writer } from "../values/value.ts";

type Kind = "bytes.elems" | "string.elems" | "string.codepoints";

/** Parts of a string or of bytes, one after another: strings themselves cannot be iterated. */
export class Elements extends StarObject {
  readonly type: Kind;
  readonly #of: string | StarBytes;
  readonly #method: string;

  constructor(type: Kind, of: string | StarBytes, method: string = type.replace(/.*\./, "")) {
    super();
    this.type = type;
    this.#of = of;
    this.#method = method;
  }

  repr(write: Writer): string {
    return `${write(this.#of)}.${this.#method}()`;
  }

  override key(): Key {
    throw new StarlarkError(`unhashable: ${this.type}`);
  }

  override length(): number | undefined {
    if (this.type === "string.codepoints") return undefined;
    return this.#of instanceof StarBytes ? this.#of.length() : this.#of.length;
  }

  override index(key: Value): Value | undefined {
    if (this.type !== "string.elems" || typeof this.#of !== "string") return undefined;
    const at = named(`${this.type} index`, () => smallInt(key));
    const char = this.#of[at < 0 ? at + this.#of.length : at];
    if (char === undefined) throw outOfRange(at, this.#of.length, this);
    return this.#method.endsWith("_ords") ? BigInt(char.charCodeAt(0)) : char;
  }

  override equals(other: StarObject): boolean {
    return other instanceof Elements && other.#of === this.#of && other.#method === this.#method;
  }

  override *elements(): Generator<Value> {
    const text = this.#of instanceof StarBytes ? this.#of.data : this.#of;
    const areNumbers = this.type === "bytes.elems" || this.#method.endsWith("_ords");
    if (this.type === "string.codepoints") {
      for (const { code } of runesOf(text)) {
        spend(1);
        yield areNumbers ? BigInt(code) : runeBytes(code);
      }
      return;
    }
    for (const char of text) {
      spend(1);
      yield areNumbers ? BigInt(char.charCodeAt(0)) : char;
    }
  }
}
