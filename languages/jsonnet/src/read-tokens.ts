import { JsonnetError, type Location } from "./jsonnet-error.ts";
import { readString, readTextBlock } from "./read-string.ts";

export type Token = { at: Location } & (
  | { kind: "name" | "operator" | "symbol" | "keyword" | "string"; text: string }
  | { kind: "number"; text: string; value: number }
  | { kind: "end"; text: "end of file" }
);

const keywords = new Set(
  "assert else error false for function if import importstr importbin in local null tailstrict then self super true".split(
    " ",
  ),
);
const blank = /(?:\s+|\/\/[^\n]*|#[^\n]*|\/\*[\s\S]*?\*\/)+/y;
const name = /[A-Za-z_][A-Za-z0-9_]*/y;
const number = /(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
const symbol = /[{}[\](),.;]/y;
const operatorCharacters = /[!$:~+\-&|^=<>*/%]+/y;

/** A position in a text that knows its line and column. */
export class Cursor {
  readonly file: string;
  readonly text: string;
  offset = 0;
  #line = 1;
  #lineStart = 0;
  #counted = 0;

  constructor(file: string, text: string) {
    this.file = file;
    this.text = text;
  }

  location(): Location {
    for (; this.#counted < this.offset; this.#counted += 1)
      if (this.text[this.#counted] === "\n") {
        this.#line += 1;
        this.#lineStart = this.#counted + 1;
      }
    return { file: this.file, line: this.#line, column: this.offset - this.#lineStart + 1 };
  }

  /** What the sticky pattern matches here, stepped over. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.offset;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.offset += found.length;
    return found;
  }

  startsWith(text: string): boolean {
    return this.text.startsWith(text, this.offset);
  }
}

/**
 * An operator ends before a comment, before `|||`, and does not end in + - ~ ! $ unless it is that alone:
 * `a*-b` is two operators.
 */
function cutOperator(run: string): string {
  for (const stop of ["//", "/*", "|||"]) {
    const at = run.indexOf(stop, 1);
    if (at > 0) run = run.slice(0, at);
  }
  while (run.length > 1 && /[-+~!$]$/.test(run)) run = run.slice(0, -1);
  return run;
}

function readToken(cursor: Cursor): Token {
  const at = cursor.location();
  if (cursor.offset >= cursor.text.length) return { kind: "end", text: "end of file", at };
  const word = cursor.take(name);
  if (word !== undefined) return { kind: keywords.has(word) ? "keyword" : "name", text: word, at };
  const digits = cursor.take(number);
  if (digits !== undefined) return { kind: "number", text: digits, value: Number(digits), at };
  if (cursor.startsWith("|||")) return { kind: "string", text: readTextBlock(cursor), at };
  if (/["'@]/.test(cursor.text[cursor.offset] ?? "")) return { kind: "string", text: readString(cursor), at };
  const mark = cursor.take(symbol);
  if (mark !== undefined) return { kind: "symbol", text: mark, at };
  const run = cursor.take(operatorCharacters);
  if (run === undefined)
    throw new JsonnetError(`unexpected character ${JSON.stringify(cursor.text[cursor.offset])}`, at);
  const operator = cutOperator(run);
  cursor.offset -= run.length - operator.length;
  return { kind: "operator", text: operator, at };
}

export function readTokens(file: string, text: string): readonly Token[] {
  const cursor = new Cursor(file, text);
  const tokens: Token[] = [];
  for (;;) {
    cursor.take(blank);
    const token = readToken(cursor);
    tokens.push(token);
    if (token.kind === "end") return tokens;
  }
}
