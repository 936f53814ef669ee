import { ExprError } from "../expr-error.ts";

export interface Token {
  readonly kind: "name" | "number" | "text" | "operator" | "bracket" | "end";
  /** Of a text: what it stands for. */
  readonly value: string;
  readonly at: number;
}

const words = new Set([
  "in",
  "or",
  "and",
  "matches",
  "contains",
  "startsWith",
  "endsWith",
  "let",
  "if",
  "else",
  "not",
]);
const space = /[\s\u0085]+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const name = /[\p{L}_$][\p{L}\p{Nd}_$]*/uy;
const number =
  /(?:0[xX][0-9a-fA-F_]*|0[oO][0-7_]*|0[bB][01_]*|\d[\d_]*)(?:\.(?!\.)[\d_]*)?(?:[eE][+-]?[\d_]*)?|\.\d[\d_]*(?:[eE][+-]?[\d_]*)?/y;
const operator = /\?\.|\?\?|\?|\|\||\||::|:|[&!=*<>][&=*]|\.\.|[&!=*<>.,;%+\-^/]/y;
const afterNumber = /[\p{L}\p{Nd}_$]/uy;

/** The words of an expression (expr-lang parser/lexer). */
export function readTokens(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const take = (shape: RegExp): string | undefined => {
    shape.lastIndex = at;
    const found = shape.exec(source)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  const push = (kind: Token["kind"], value: string, from: number) => tokens.push({ kind, value, at: from });
  for (;;) {
    while (take(space));
    const from = at;
    const char = source[at];
    if (char === undefined) {
      push("end", "", from);
      return tokens;
    }
    if (char === '"' || char === "'" || char === "`") {
      const { value, end } = char === "`" ? readRaw(source, at) : readText(source, at);
      at = end;
      push("text", value, from);
      continue;
    }
    const digits = take(number);
    if (digits !== undefined) {
      if (take(afterNumber) !== undefined)
        throw new ExprError(`bad number syntax: ${source.slice(from, at)}`, from);
      push("number", digits, from);
      continue;
    }
    const word = take(name);
    if (word !== undefined) {
      push(words.has(word) ? "operator" : "name", word, from);
      continue;
    }
    if (char === "#") {
      at += source[at + 1] === "#" ? 2 : 1;
      push("operator", source.slice(from, at), from);
      const pointed = /[\p{L}\p{Nd}_$]+/uy;
      const nameAt = at;
      const pointedName = take(pointed);
      if (pointedName !== undefined) push("name", pointedName, nameAt);
      continue;
    }
    if ("([{}])".includes(char)) {
      at += 1;
      push("bracket", char, from);
      continue;
    }
    if (source.startsWith("/*", at)) throw new ExprError("unclosed comment", from);
    const sign = take(operator);
    if (sign === undefined) throw new ExprError(`unrecognized character ${JSON.stringify(char)}`, from);
    push("operator", sign, from);
  }
}

/** Two backticks stand for one. */
function readRaw(source: string, from: number): { value: string; end: number } {
  const [found] = /^`(?:[^`]|``)*`/.exec(source.slice(from)) ?? [];
  if (found === undefined) throw new ExprError("literal not terminated", from);
  return { value: found.slice(1, -1).replaceAll("``", "`"), end: from + found.length };
}

const simple: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
};
const numbered = /([0-7]{3})|x([0-9a-fA-F]{2})|u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})/y;

function readText(source: string, from: number): { value: string; end: number } {
  const quote = source[from];
  let value = "";
  for (let at = from + 1; ; at += 1) {
    const char = source[at];
    if (char === undefined || char === "\n") throw new ExprError("literal not terminated", from);
    if (char === quote) return { value, end: at + 1 };
    if (char !== "\\") {
      value += char;
      continue;
    }
    const next = source[at + 1] ?? "";
    const known = next === quote ? next : simple[next];
    if (known !== undefined) {
      value += known;
      at += 1;
      continue;
    }
    numbered.lastIndex = at + 1;
    const [all = "", octal, ...hexes] = numbered.exec(source) ?? [];
    const code =
      octal === undefined
        ? Number.parseInt(hexes.find((one) => one !== undefined) ?? "", 16)
        : Number.parseInt(octal, 8);
    if (all === "" || Number.isNaN(code) || code > 0x10ffff || (octal !== undefined && code > 255))
      throw new ExprError("invalid char escape", at);
    value += String.fromCodePoint(code);
    at += all.length;
  }
}
