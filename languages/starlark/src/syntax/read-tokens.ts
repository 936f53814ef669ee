import { StarlarkError } from "../script-error.ts";
import type { Position } from "./nodes.ts";
import { readNumber } from "./read-number.ts";
import { unquote } from "./unquote.ts";

type Content =
  | { kind: "name" | "keyword" | "symbol" | "newline" | "indent" | "outdent" | "end"; text: string }
  | { kind: "int"; text: string; value: bigint }
  | { kind: "float"; text: string; value: number }
  | { kind: "string" | "bytes"; text: string; value: string };

export type Token = Content & { at: Position; end: Position };

const keywords = new Set(
  "and break continue def elif else for if in lambda load not or pass return while".split(" "),
);
/** Python's, which no script may use as names. */
const reserved = new Set(
  "as async await class del except finally from global import is nonlocal raise try with yield".split(" "),
);
/** Longest first. */
const symbols =
  "//= <<= >>= ** += -= *= /= %= &= |= ^= == != <= >= << >> // + - * / % & | ^ ~ . , = ; : ( ) [ ] { } < >".split(
    " ",
  );
const maxNesting = 1_000;

export function syntaxError(file: string, at: Position, problem: string): StarlarkError {
  return new StarlarkError(`${file}:${at.line}:${at.column}: ${problem}`);
}

/** Reads tokens one by one, so that the first mistake in a script is the one told (go.starlark.net, syntax/scan.go). */
export class TokenReader {
  readonly file: string;
  readonly #chars: readonly string[];
  #next = 0;
  #line = 1;
  #column = 1;
  #depth = 0;
  readonly #indents = [0];
  /** Indents (above 0) or outdents (below 0) that are still to be told. */
  #dents = 0;
  #isLineStart = true;

  constructor(file: string, source: string) {
    this.file = file;
    this.#chars = [...source.replace(/\r\n?/g, "\n")];
  }

  read(): Token {
    for (;;) {
      const token = this.#attempt();
      if (token) return token;
    }
  }

  /** Undefined where only space was read. */
  #attempt(): Token | undefined {
    const wasLineStart = this.#isLineStart;
    const isBlank = wasLineStart && this.#readIndent();
    if (this.#dents !== 0) return this.#readDent();
    while (this.#isSpace()) this.#skip(1);
    if (this.#peek() === "#") while (this.#peek() !== "" && this.#peek() !== "\n") this.#skip(1);
    const char = this.#peek();
    const at = this.#position();
    if (char === "\n") return this.#readNewline(at, isBlank);
    if (char === "") return this.#readEnd(at, wasLineStart);
    if (char === "\\") {
      this.#skip(1);
      if (this.#peek() !== "\n") throw this.#error(this.#position(), "stray backslash in program");
      this.#skip(1);
      return undefined;
    }
    const content = this.#readContent(char, at);
    return { ...content, at, end: this.#position() };
  }

  /** Whether the line has nothing on it. */
  #readIndent(): boolean {
    this.#isLineStart = false;
    let column = 0;
    for (; this.#isSpace(); this.#skip(1)) column += this.#peek() === " " ? 1 : 8 - ((this.#column - 1) % 8);
    if (["#", "\n", ""].includes(this.#peek())) return true;
    if (this.#depth > 0) return false;
    const current = this.#indents.at(-1) ?? 0;
    if (column > current) {
      this.#dents++;
      this.#indents.push(column);
    }
    while (column < (this.#indents.at(-1) ?? 0)) {
      this.#dents--;
      this.#indents.pop();
    }
    if (column !== this.#indents.at(-1))
      throw this.#error(this.#position(), "unindent does not match any outer indentation level");
    return false;
  }

  #readDent(): Token {
    const at = this.#position();
    const isIndent = this.#dents > 0;
    this.#dents += isIndent ? -1 : 1;
    const kind = isIndent ? "indent" : "outdent";
    return { kind, text: kind, at, end: at };
  }

  #readNewline(at: Position, isBlank: boolean): Token | undefined {
    this.#isLineStart = true;
    this.#skip(1);
    if (this.#depth > 0 || isBlank) return undefined;
    return { kind: "newline", text: "\n", at, end: this.#position() };
  }

  #readEnd(at: Position, wasLineStart: boolean): Token | undefined {
    if (this.#indents.length === 1) return { kind: "end", text: "", at, end: at };
    if (!wasLineStart) {
      this.#isLineStart = true;
      return { kind: "newline", text: "\n", at, end: at };
    }
    this.#dents = 1 - this.#indents.length;
    this.#indents.length = 1;
    return undefined;
  }

  #readContent(char: string, at: Position): Content {
    const prefix = /^(rb|r|b)(?=["'])/.exec(this.#ahead(3))?.[0];
    if (prefix !== undefined || char === '"' || char === "'") return this.#readString(prefix ?? "", at);
    if (/[\p{L}_]/u.test(char)) return this.#readName();
    if (/[0-9]/.test(char) || (char === "." && /[0-9]/.test(this.#chars[this.#next + 1] ?? "")))
      return this.#readNumber(at);
    return this.#readSymbol(char, at);
  }

  #readName(): Content {
    let text = "";
    for (; /[\p{L}\p{Nd}_]/u.test(this.#peek()); this.#skip(1)) text += this.#peek();
    return { kind: keywords.has(text) || reserved.has(text) ? "keyword" : "name", text };
  }

  #readNumber(at: Position): Content {
    let ahead = "";
    for (let i = this.#next; /[0-9a-zA-Z.+-]/.test(this.#chars[i] ?? ""); i++) ahead += this.#chars[i];
    const { length, ...number } = readNumber(ahead);
    this.#skip(length);
    if ("problem" in number) throw this.#error(number.isAtStart ? at : this.#position(), number.problem);
    return number;
  }

  #readSymbol(char: string, at: Position): Content {
    const ahead = this.#ahead(3);
    const text = symbols.find((one) => ahead.startsWith(one));
    if (text === undefined) throw this.#error(at, `unexpected input character '${char}'`);
    if ("([{".includes(text) && ++this.#depth > maxNesting) throw this.#error(at, "excessive nesting");
    if (")]}".includes(text) && --this.#depth < 0) throw this.#error(at, `unexpected '${text}'`);
    this.#skip(text.length);
    return { kind: "symbol", text };
  }

  #readString(prefix: string, at: Position): Content {
    const from = this.#next;
    this.#skip(prefix.length);
    const quote = this.#peek();
    const isTriple = this.#ahead(3) === quote.repeat(3);
    const end = isTriple ? quote.repeat(3) : quote;
    this.#skip(end.length);
    const start = this.#next;
    while (this.#ahead(end.length) !== end) {
      if (this.#peek() === "") throw this.#error(at, "unexpected EOF in string");
      if (!isTriple && this.#peek() === "\n") throw this.#error(at, "unexpected newline in string");
      this.#skip(this.#peek() === "\\" ? 2 : 1);
    }
    const content = this.#chars.slice(start, this.#next);
    this.#skip(end.length);
    const unquoted = unquote(content, { isRaw: prefix.includes("r"), isBytes: prefix.includes("b") });
    if ("problem" in unquoted) throw this.#error(at, unquoted.problem);
    const text = this.#chars.slice(from, this.#next).join("");
    return { kind: prefix.includes("b") ? "bytes" : "string", text, value: unquoted.value };
  }

  #isSpace(): boolean {
    return this.#peek() === " " || this.#peek() === "\t";
  }

  #peek(): string {
    return this.#chars[this.#next] ?? "";
  }

  #ahead(count: number): string {
    return this.#chars.slice(this.#next, this.#next + count).join("");
  }

  #skip(count: number): void {
    for (let i = 0; i < count; i++) {
      const isNewline = this.#chars[this.#next++] === "\n";
      this.#line += isNewline ? 1 : 0;
      this.#column = isNewline ? 1 : this.#column + 1;
    }
  }

  #position(): Position {
    return { line: this.#line, column: this.#column };
  }

  #error(at: Position, problem: string): StarlarkError {
    return syntaxError(this.file, at, problem);
  }
}
