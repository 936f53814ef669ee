import { StarlarkError } from "../script-error.ts";
import { StarDict } from "../values/mappings.ts";
import { StarList } from "../values/sequences.ts";
import { spend } from "../values/steps.ts";
import { toBytes, toText } from "../values/utf8.ts";
import { typeOf, type Value } from "../values/value.ts";

const maxDepth = 1_000;

const constants: readonly (readonly [string, Value])[] = [
  ["null", null],
  ["true", true],
  ["false", false],
];

/** Keeps the order of keys; numbers with a dot or an exponent are floats. Errors tell the byte. */
export function parseJson(text: string): Value {
  spend(text.length >> 3);
  return new JsonReader(text).readWhole();
}

class JsonReader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readWhole(): Value {
    const value = this.#read();
    this.#skipSpace();
    const rest = this.#text[this.#at];
    if (rest !== undefined) throw this.#error(`unexpected character ${quoted(rest)} after value`);
    return value;
  }

  #error(problem: string): StarlarkError {
    return new StarlarkError(`at offset ${this.#at}, ${problem}`);
  }

  #skipSpace(): void {
    while (" \t\n\r".includes(this.#text[this.#at] ?? "x")) this.#at++;
  }

  #peek(): string {
    this.#skipSpace();
    const char = this.#text[this.#at];
    if (char === undefined) throw this.#error("unexpected end of file");
    return char;
  }

  #read(): Value {
    const char = this.#peek();
    if (char === '"') return this.#readString();
    if (char === "[") return this.#nested(() => this.#readList());
    if (char === "{") return this.#nested(() => this.#readDict());
    const constant = constants.find(([word]) => this.#text.startsWith(word, this.#at));
    if (constant) {
      this.#at += constant[0].length;
      return constant[1];
    }
    if (/[-0-9]/.test(char)) return this.#readNumber();
    throw this.#error(`unexpected character ${quoted(char)}`);
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > maxDepth) throw this.#error("nested too deeply");
    const inner = read();
    this.#depth--;
    return inner;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #readString(): string {
    const found = this.#take(/"(?:[^"\\]|\\[\s\S])*"/y);
    if (found === undefined) throw this.#error("unclosed string literal");
    if (!found.includes("\\") && !/[^\x20-\x7e]/.test(found)) return found.slice(1, -1);
    try {
      return toBytes(String(JSON.parse(toText(found))));
    } catch (error) {
      throw this.#error(
        `invalid character or escape in string: ${error instanceof Error ? error.message : found}`,
      );
    }
  }

  #readNumber(): bigint | number {
    const found = this.#take(/-?[0-9.eE+-]*/y) ?? "";
    if (!/^-?(0|[1-9]\d*)(\.\d*)?([eE][+-]?\d+)?$/.test(found)) throw this.#error(`invalid number: ${found}`);
    if (!/[.eE]/.test(found)) return BigInt(found);
    const float = Number(found);
    if (!Number.isFinite(float)) throw this.#error(`invalid number: ${found}`);
    return float;
  }

  #readList(): StarList {
    const items: Value[] = [];
    this.#at++;
    if (this.#peek() === "]") this.#at++;
    else
      do items.push(this.#read());
      while (this.#goesOn("]", (got) => `got ${got}, want ',' or ']'`));
    return new StarList(items);
  }

  #readDict(): StarDict {
    const dict = new StarDict();
    this.#at++;
    if (this.#peek() === "}") this.#at++;
    else
      do {
        const key = this.#read();
        if (typeof key !== "string") throw this.#error(`got ${typeOf(key)} for object key, want string`);
        const colon = this.#peek();
        if (colon !== ":") throw this.#error(`after object key, got ${quoted(colon)}, want ':' `);
        this.#at++;
        dict.set(key, this.#read());
      } while (this.#goesOn("}", (got) => `in object, got ${got}, want ',' or '}'`));
    return dict;
  }

  /** Whether a comma stands here, and no end. */
  #goesOn(end: string, problem: (got: string) => string): boolean {
    const char = this.#peek();
    if (char !== "," && char !== end) throw this.#error(problem(quoted(char)));
    this.#at++;
    return char === ",";
  }
}

const quoted = (char: string): string => (char === "'" ? "'\\''" : `'${char}'`);
