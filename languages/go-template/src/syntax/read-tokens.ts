import { quoteGo } from "@capstan/formats";

const keywords = [
  "block",
  "break",
  "continue",
  "define",
  "else",
  "end",
  "if",
  "nil",
  "range",
  "template",
  "with",
] as const;
type Keyword = (typeof keywords)[number];

export type TokenKind =
  | "text"
  | "{{"
  | "}}"
  | "space"
  | "field"
  | "variable"
  | "identifier"
  | "number"
  | "character"
  | "string"
  | "bool"
  | "."
  | "="
  | ":="
  | "|"
  | "("
  | ")"
  | "other"
  | "end of text"
  | "error"
  | Keyword;

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly at: number;
}

const word = String.raw`[\p{L}\p{Nd}_]`;
/** A sign and digits; what follows and is wrong the reader of constants finds. */
const number =
  /[+-]?(?:0[xX][\da-fA-F_]*(?:\.[\da-fA-F_]*)?(?:[pP][+-]?[\d_]*)?|0[oO][0-7_]*(?:\.[0-7_]*)?|0[bB][01_]*(?:\.[01_]*)?|[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?[\d_]*)?)i?/y;
const shapes: readonly (readonly [TokenKind, RegExp])[] = [
  ["space", /[ \t\r\n]+/y],
  [":=", /:=/y],
  ["=", /=/y],
  ["|", /\|/y],
  ["string", /"(?:\\[^\n]|[^"\\\n])*"|`[^`]*`/y],
  ["character", /'(?:\\[^\n]|[^'\\\n])*'/y],
  ["variable", new RegExp(String.raw`\$${word}*`, "uy")],
  ["field", new RegExp(String.raw`\.(?![0-9])${word}+`, "uy")],
  ["(", /\(/y],
  [")", /\)/y],
];
const identifier = new RegExp(`${word}+`, "uy");
const comment = /\{\{(?:-[ \t\r\n])?\/\*/y;

/** A template's text as tokens (Go, text/template/parse/lex.go); the last is the end of the text, or an error. */
export function readTokens(text: string): Token[] {
  return new TokenReader(text).readAll();
}

/** Its methods read a part and go on behind it; what they return is a problem, which ends the reading. */
class TokenReader {
  readonly #text: string;
  readonly #tokens: Token[] = [];
  #at = 0;
  #isInAction = false;
  /** Open parentheses. */
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readAll(): Token[] {
    while (this.#isInAction || this.#at < this.#text.length) {
      const problem = this.#isInAction ? this.#readPart() : this.#readText();
      if (problem === undefined) continue;
      this.#tokens.push({ kind: "error", text: problem, at: this.#at });
      return this.#tokens;
    }
    this.#tokens.push({ kind: "end of text", text: "", at: this.#text.length });
    return this.#tokens;
  }

  #push(kind: TokenKind, end: number): undefined {
    this.#tokens.push({ kind, text: this.#text.slice(this.#at, end), at: this.#at });
    this.#at = end;
  }

  #match(shape: RegExp, at = this.#at): string | undefined {
    shape.lastIndex = at;
    return shape.exec(this.#text)?.[0];
  }

  #readText(): string | undefined {
    const open = this.#text.indexOf("{{", this.#at);
    const end = open < 0 ? this.#text.length : open;
    const isTrimmed = open >= 0 && isTrimMark(this.#text.slice(open + 2, open + 4));
    let textEnd = end;
    while (isTrimmed && textEnd > this.#at && isSpace(this.#text[textEnd - 1])) textEnd -= 1;
    if (textEnd > this.#at) this.#push("text", textEnd);
    this.#at = end;
    if (open < 0) return undefined;
    if (this.#match(comment) !== undefined) return this.#skipComment(isTrimmed);
    this.#push("{{", open + 2);
    if (isTrimmed) this.#at += 2;
    this.#isInAction = true;
    this.#depth = 0;
    return undefined;
  }

  #skipComment(isTrimmed: boolean): string | undefined {
    const end = this.#text.indexOf("*/", this.#at + (isTrimmed ? 6 : 4));
    if (end < 0) return "unclosed comment";
    this.#at = end + 2;
    const close = this.#closingAt();
    if (close === undefined) return "comment ends before closing delimiter";
    this.#closeAction(close);
    return undefined;
  }

  /** How long the delimiter is that closes an action here: "}}", or " -}}". */
  #closingAt(): number | undefined {
    if (this.#text.startsWith("}}", this.#at)) return 2;
    return isSpace(this.#text[this.#at]) && this.#text.startsWith("-}}", this.#at + 1) ? 4 : undefined;
  }

  #closeAction(length: number): void {
    this.#at += length;
    this.#isInAction = false;
    while (length === 4 && isSpace(this.#text[this.#at])) this.#at += 1;
  }

  #readPart(): string | undefined {
    const close = this.#closingAt();
    if (close === undefined) return this.#at >= this.#text.length ? "unclosed action" : this.#readWord();
    if (this.#depth > 0) return "unclosed left paren";
    this.#tokens.push({ kind: "}}", text: "}}", at: this.#at + close - 2 });
    this.#closeAction(close);
    return undefined;
  }

  #readWord(): string | undefined {
    for (const [kind, shape] of shapes) {
      const found = this.#match(shape);
      if (found === undefined) continue;
      if (kind === "space") return this.#pushSpace(found.length);
      if (kind === "(") this.#depth += 1;
      if (kind === ")" && this.#depth-- === 0) return "unexpected right paren";
      const end = this.#at + found.length;
      const isName = kind === "field" || kind === "variable";
      return isName && !this.#endsWord(end) ? this.#badCharacter(end) : this.#push(kind, end);
    }
    const first = this.#text[this.#at] ?? "";
    const unfinished = unfinishedWords[first];
    if (unfinished !== undefined) return unfinished;
    if (/[+\-\d]/.test(first) || /^\.\d/.test(this.#text.slice(this.#at, this.#at + 2)))
      return this.#readNumber();
    const next = this.#at + 1;
    if (first === ".") return this.#endsWord(next) ? this.#push(".", next) : this.#badCharacter(next);
    const name = this.#match(identifier);
    if (name !== undefined) return this.#readName(name);
    if (/[!-~]/.test(first)) return this.#push("other", next);
    return `unrecognized character in action: ${unicodeAt(this.#text, this.#at)}`;
  }

  /** Not the space of " -}}". */
  #pushSpace(length: number): undefined {
    const end = this.#at + length;
    const isBeforeClose = this.#text.startsWith("-}}", end);
    if (!isBeforeClose) this.#push("space", end);
    else if (length > 1) this.#push("space", end - 1);
  }

  #readNumber(): string | undefined {
    let end = this.#at + (this.#match(number) ?? "").length;
    const refuse = (to: number): string => `bad number syntax: ${quoteGo(this.#text.slice(this.#at, to))}`;
    if (/[+-]/.test(this.#text[end] ?? "")) {
      end += (this.#match(number, end) ?? "").length;
      if (this.#text[end - 1] !== "i") return refuse(end);
    }
    const tail = this.#match(identifier, end);
    if (tail !== undefined) return refuse(end + ([...tail][0] ?? "").length);
    return this.#push("number", end);
  }

  #readName(name: string): string | undefined {
    const end = this.#at + name.length;
    if (!this.#endsWord(end)) return this.#badCharacter(end);
    const keyword = keywords.find((one) => one === name);
    return this.#push(keyword ?? (name === "true" || name === "false" ? "bool" : "identifier"), end);
  }

  /** What may follow a name. */
  #endsWord(end: number): boolean {
    const next = this.#text[end];
    return next === undefined || " \t\r\n.,|:)(".includes(next) || this.#text.startsWith("}}", end);
  }

  #badCharacter(at: number): string {
    return `bad character ${unicodeAt(this.#text, at)}`;
  }
}

const unfinishedWords: Readonly<Record<string, string>> = {
  '"': "unterminated quoted string",
  "`": "unterminated raw quoted string",
  "'": "unterminated character constant",
  ":": "expected :=",
};

const isSpace = (char: string | undefined): boolean => char !== undefined && " \t\r\n".includes(char);

const isTrimMark = (two: string): boolean => two[0] === "-" && isSpace(two[1]);

/** Go's %#U. */
function unicodeAt(text: string, at: number): string {
  const code = text.codePointAt(at) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")} '${String.fromCodePoint(code)}'`;
}
