import { quoteGo } from "@capstan/formats";
import { TemplateError } from "../template-error.ts";
import type { Token, TokenKind } from "./read-tokens.ts";

/** Go's names of what is no word of its own. */
const isKeyword = (token: Token): boolean => /^[a-z]/.test(token.text) && token.kind === token.text;

/** Reads tokens one after the other, and knows where it is, for messages. */
export class TokenStream {
  readonly #name: string;
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #next = 0;
  /** Where the action began that is being read. */
  actionAt: number | undefined;

  constructor(name: string, text: string, tokens: readonly Token[]) {
    this.#name = name;
    this.#text = text;
    this.#tokens = tokens;
  }

  peek(): Token {
    return this.#at(this.#next);
  }

  next(): Token {
    const token = this.peek();
    this.#next = Math.min(this.#next + 1, this.#tokens.length - 1);
    return token;
  }

  /** The next one that is no space, which is left out. */
  nextWord(): Token {
    this.skipSpace();
    return this.next();
  }

  peekWord(): Token {
    this.skipSpace();
    return this.peek();
  }

  skipSpace(): void {
    if (this.peek().kind === "space") this.#next += 1;
  }

  mark(): number {
    return this.#next;
  }

  backTo(mark: number): void {
    this.#next = mark;
  }

  expect(kind: TokenKind, context: string): Token {
    const token = this.nextWord();
    if (token.kind !== kind) throw this.unexpected(token, context);
    return token;
  }

  /** `template: name:line: …`, at the token that was read last. */
  error(message: string, at = this.#at(Math.max(this.#next - 1, 0)).at): TemplateError {
    return new TemplateError(`template: ${this.#name}:${this.#lineOf(at)}: ${message}`);
  }

  unexpected(token: Token, context: string): TemplateError {
    if (token.kind !== "error") return this.error(`unexpected ${showToken(token)} in ${context}`, token.at);
    const begun = this.actionAt === undefined ? 0 : this.#lineOf(this.actionAt);
    const isElsewhere = begun !== 0 && begun !== this.#lineOf(token.at);
    const started = isElsewhere ? ` started at ${this.#name}:${begun}` : "";
    const within = isElsewhere && !token.text.endsWith(" action") ? " in action" : "";
    return this.error(token.text + within + started, token.at);
  }

  #at(index: number): Token {
    return this.#tokens[index] ?? { kind: "end of text", text: "", at: this.#text.length };
  }

  #lineOf(at: number): number {
    return this.#text.slice(0, at).split("\n").length;
  }
}

function showToken(token: Token): string {
  if (token.kind === "end of text") return "EOF";
  if (isKeyword(token)) return `<${token.text}>`;
  const chars = [...token.text];
  return chars.length > 10 ? `${quoteGo(chars.slice(0, 10).join(""))}...` : quoteGo(token.text);
}
