import { ExprError } from "../expr-error.ts";
import type { Node } from "./nodes.ts";
import type { Token } from "./read-tokens.ts";

/** Expr's own limit. */
const maxNodes = 10_000;
/** Of ours: each level takes some of the stack. */
const maxDepth = 200;

/** Where a reader of an expression is, and how much it has made. */
export class TokenCursor {
  readonly #tokens: readonly Token[];
  #at = 0;
  #nodes = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** To go back to. */
  get place(): number {
    return this.#at;
  }

  set place(at: number) {
    this.#at = at;
  }

  get current(): Token {
    const token = this.#tokens[this.#at] ?? this.#tokens.at(-1);
    if (!token) throw new ExprError("unexpected end of expression");
    return token;
  }

  is(kind: Token["kind"], ...values: string[]): boolean {
    const { kind: has, value } = this.current;
    return has === kind && (values.length === 0 || values.includes(value));
  }

  next(): Token {
    const token = this.current;
    this.#at += 1;
    return token;
  }

  expect(kind: Token["kind"], ...values: string[]): Token {
    if (!this.is(kind, ...values)) throw this.unexpected();
    return this.next();
  }

  unexpected(token = this.current): ExprError {
    const what = token.kind === "end" ? "end of expression" : JSON.stringify(token.value);
    return new ExprError(`unexpected ${what}`, token.at);
  }

  made<Made extends Node>(node: Made): Made {
    this.#nodes += 1;
    if (this.#nodes > maxNodes)
      throw new ExprError(`the expression has more than ${maxNodes} parts`, node.at);
    return node;
  }

  /** What stands one level within. */
  deeper(read: () => Node): Node {
    this.#depth += 1;
    if (this.#depth > maxDepth)
      throw new ExprError(`the expression is more than ${maxDepth} levels deep`, this.current.at);
    const node = read();
    this.#depth -= 1;
    return node;
  }
}
