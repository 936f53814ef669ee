import { JsonnetError, type Location } from "./jsonnet-error.ts";
import { parseArguments, parseBinds, parseParams } from "./parse-lists.ts";
import { parseArray, parseObject } from "./parse-literals.ts";
import { readTokens, type Token } from "./read-tokens.ts";
import type { Node } from "./syntax.ts";

/** From loosest to tightest; `in` is a keyword among operators. */
const precedence: readonly (readonly string[])[] = [
  ["||"],
  ["&&"],
  ["|"],
  ["^"],
  ["&"],
  ["==", "!="],
  ["<", ">", "<=", ">=", "in"],
  ["<<", ">>"],
  ["+", "-"],
  ["*", "/", "%"],
];
const unaryOperators = ["!", "-", "+", "~"];
const maxDepth = 1_000;

/** Recursive descent over the tokens of one file. */
export class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;
  /** Objects that enclose the current place: `$` belongs to the outermost. */
  objectDepth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  peek(ahead = 0): Token {
    const token = this.#tokens[Math.min(this.#next + ahead, this.#tokens.length - 1)];
    if (!token) throw new JsonnetError("nothing to parse");
    return token;
  }

  take(): Token {
    const token = this.peek();
    this.#next += 1;
    return token;
  }

  is(text: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return token.kind !== "string" && token.text === text;
  }

  accept(text: string): boolean {
    if (!this.is(text)) return false;
    this.#next += 1;
    return true;
  }

  expect(text: string): Token {
    if (!this.is(text)) throw this.unexpected(`expected ${JSON.stringify(text)}`);
    return this.take();
  }

  expectName(): string {
    const token = this.take();
    if (token.kind !== "name") throw new JsonnetError(`expected a name, got ${describe(token)}`, token.at);
    return token.text;
  }

  unexpected(wanted: string): JsonnetError {
    const token = this.peek();
    return new JsonnetError(`${wanted}, got ${describe(token)}`, token.at);
  }

  expression(): Node {
    this.#depth += 1;
    if (this.#depth > maxDepth) throw new JsonnetError("nested too deeply", this.peek().at);
    const node = this.#open() ?? this.#binary(0);
    this.#depth -= 1;
    return node;
  }

  /** Forms that reach as far to the right as they can. */
  #open(): Node | undefined {
    const { at, kind, text } = this.peek();
    if (kind !== "keyword") return undefined;
    switch (text) {
      case "local":
        return this.#local(at);
      case "if":
        return this.#if(at);
      case "function":
        this.take();
        return { type: "function", params: parseParams(this), body: this.expression(), at };
      case "assert":
        return this.#assert(at);
      case "error":
        this.take();
        return { type: "error", message: this.expression(), at };
      case "import":
      case "importstr":
      case "importbin":
        this.take();
        return { type: text, path: this.#importPath(), at };
      default:
        return undefined;
    }
  }

  #importPath(): string {
    const path = this.take();
    if (path.kind !== "string") throw new JsonnetError("computed imports are not allowed", path.at);
    return path.text;
  }

  #local(at: Location): Node {
    this.take();
    const binds = parseBinds(this);
    this.expect(";");
    return { type: "local", binds, body: this.expression(), at };
  }

  #if(at: Location): Node {
    this.take();
    const condition = this.expression();
    this.expect("then");
    const then = this.expression();
    const otherwise = this.accept("else") ? this.expression() : undefined;
    return { type: "if", condition, then, otherwise, at };
  }

  #assert(at: Location): Node {
    this.take();
    const condition = this.expression();
    const message = this.accept(":") ? this.expression() : undefined;
    this.expect(";");
    return { type: "assert", condition, message, body: this.expression(), at };
  }

  #binary(level: number): Node {
    const operators = precedence[level];
    if (!operators) return this.#unary();
    let left = this.#binary(level + 1);
    for (;;) {
      const { at, kind, text } = this.peek();
      if ((kind !== "operator" && text !== "in") || kind === "string" || !operators.includes(text))
        return left;
      this.take();
      if (text === "in" && this.is("super") && !this.is(".", 1) && !this.is("[", 1)) {
        this.take();
        left = { type: "in-super", index: left, at };
        continue;
      }
      const right = this.#open() ?? this.#binary(level + 1);
      left = { type: "binary", operator: text, left, right, at };
    }
  }

  #unary(): Node {
    const { at, kind, text } = this.peek();
    if (kind !== "operator" || !unaryOperators.includes(text)) return this.#postfix();
    this.take();
    const operand = this.#open() ?? this.#unary();
    return { type: "unary", operator: text, operand, at };
  }

  #postfix(): Node {
    let node = this.#primary();
    for (;;) {
      const { at } = this.peek();
      if (this.accept(".")) node = { type: "index", target: node, index: this.#nameNode(), at };
      else if (this.accept("[")) node = this.#bracket(node, at);
      else if (this.is("(")) {
        const given = parseArguments(this);
        node = { type: "call", target: node, ...given, tailstrict: this.accept("tailstrict"), at };
      } else if (this.is("{"))
        node = { type: "binary", operator: "+", left: node, right: parseObject(this), at };
      else return node;
    }
  }

  #nameNode(): Node {
    const { at } = this.peek();
    return { type: "string", value: this.expectName(), at };
  }

  /** `[index]` or `[from:to:step]`; `::` is one token. */
  #bracket(target: Node, at: Location): Node {
    const parts: (Node | undefined)[] = [undefined];
    while (!this.is("]")) {
      if (this.accept(":")) parts.push(undefined);
      else if (this.accept("::")) parts.push(undefined, undefined);
      else parts[parts.length - 1] = this.expression();
    }
    const [from, to, step] = parts;
    if (parts.length > 3) throw this.unexpected("expected at most three parts of a slice");
    this.expect("]");
    if (parts.length > 1) return { type: "slice", target, from, to, step, at };
    if (!from) throw new JsonnetError("an index is missing", at);
    return { type: "index", target, index: from, at };
  }

  #primary(): Node {
    if (this.is("{")) return parseObject(this);
    if (this.is("[")) return parseArray(this);
    const token = this.take();
    const { at } = token;
    if (token.kind === "number") return { type: "number", value: token.value, at };
    if (token.kind === "string") return { type: "string", value: token.text, at };
    if (token.kind === "name") return { type: "variable", name: token.text, at };
    switch (token.text) {
      case "(": {
        const inner = this.expression();
        this.expect(")");
        return inner;
      }
      case "null":
      case "self":
        return { type: token.text, at };
      case "true":
      case "false":
        return { type: "boolean", value: token.text === "true", at };
      case "$":
        if (this.objectDepth === 0) throw new JsonnetError("no top-level object for $", at);
        return { type: "dollar", at };
      case "super":
        return this.#super(at);
      default:
        throw new JsonnetError(`unexpected ${describe(token)}`, at);
    }
  }

  #super(at: Location): Node {
    if (this.accept(".")) return { type: "super-index", index: this.#nameNode(), at };
    this.expect("[");
    const index = this.expression();
    this.expect("]");
    return { type: "super-index", index, at };
  }
}

function describe(token: Token): string {
  return token.kind === "end" ? token.text : `${token.kind} ${JSON.stringify(token.text)}`;
}

/** Parses one file; JsonnetError says where it is wrong. */
export function parseJsonnet(file: string, text: string): Node {
  const parser = new Parser(readTokens(file, text));
  const node = parser.expression();
  if (parser.peek().kind !== "end") throw parser.unexpected("expected the end of the file");
  return node;
}
