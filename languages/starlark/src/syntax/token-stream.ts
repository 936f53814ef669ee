import type { StarlarkError } from "../script-error.ts";
import type { Name, Position } from "./nodes.ts";
import { syntaxError, type Token, TokenReader } from "./read-tokens.ts";

const maxDepth = 1_000;

/** One token ahead, and how deep the parser is. */
export class TokenStream {
  readonly #reader: TokenReader;
  #token: Token;
  #depth = 0;

  constructor(file: string, source: string) {
    this.#reader = new TokenReader(file, source);
    this.#token = this.#reader.read();
  }

  get token(): Token {
    return this.#token;
  }

  /** The token, which is then behind. */
  take(): Token {
    const token = this.#token;
    this.#token = this.#reader.read();
    return token;
  }

  /** Whether the next token is this symbol, keyword, newline, indent or outdent. */
  is(text: string): boolean {
    const { token } = this;
    return token.text === text && token.kind !== "name" && token.kind !== "string" && token.kind !== "bytes";
  }

  isOneOf(texts: readonly string[]): boolean {
    return texts.some((text) => this.is(text));
  }

  isEnd(): boolean {
    return this.#token.kind === "end";
  }

  /** Takes the token if it is this one. */
  accept(text: string): boolean {
    const isIt = this.is(text);
    if (isIt) this.take();
    return isIt;
  }

  /** Makes one of `not` and `in`. */
  joinNotIn(): void {
    if (!this.is("not")) return;
    this.take();
    if (!this.is("in")) throw this.error(`got ${describe(this.#token)}, want in`);
    const { at, end } = this.#token;
    this.#token = { kind: "keyword", text: "not in", at, end };
  }

  expect(text: string): Position {
    if (!this.is(text)) throw this.error(`got ${describe(this.#token)}, want ${describeText(text)}`);
    return this.take().at;
  }

  expectName(): Name {
    if (this.#token.kind !== "name") throw this.error("not an identifier");
    const { at, text } = this.take();
    return { kind: "name", at, name: text };
  }

  /** At the end of the next token unless said otherwise, as syntax.parser reports. */
  error(problem: string, at: Position = this.#token.end): StarlarkError {
    return syntaxError(this.#reader.file, at, problem);
  }

  /** Bounds recursion. */
  nested<T>(read: () => T): T {
    if (++this.#depth > maxDepth) throw this.error("excessive nesting");
    const result = read();
    this.#depth--;
    return result;
  }
}

const kinds: Readonly<Record<string, string>> = {
  name: "identifier",
  int: "int literal",
  float: "float literal",
  string: "string literal",
  bytes: "bytes literal",
  end: "end of file",
};

export function describe(token: Token): string {
  return kinds[token.kind] ?? describeText(token.text);
}

function describeText(text: string): string {
  if (text === "\n") return "newline";
  return /^[a-z]/.test(text) ? text : `'${text}'`;
}
