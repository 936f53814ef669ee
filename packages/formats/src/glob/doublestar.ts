import { readRanges } from "./ranges.ts";
import { type Alternatives, type Cursor, keepRead, matchesAny, maxTokens, type Token } from "./tokens.ts";

/**
 * Globs over paths as bmatcuk/doublestar v4 reads them (value files, `.krmignore`, inputs of plugins): `*` and `?` stay
 * within one folder, `**` as a whole folder stands for any number of them, `[a-z0-9]`, `[!a]` and `[^a]` are classes,
 * `{a,b}` alternatives, `\` escapes. `a/**` also matches `a`. An invalid pattern matches nothing.
 */
export function matchesFiles(pattern: string, path: string): boolean {
  return matchesAny(readFiles(pattern), path, "/");
}

/** Whether a text is a glob rather than a path. */
export function hasGlob(pattern: string): boolean {
  return /[*?[{]/.test(pattern);
}

const readFiles = keepRead((pattern) => {
  const found: (readonly Token[])[] = [];
  for (const one of expandBraces(pattern) ?? [undefined]) {
    const tokens = one === undefined ? undefined : readTokens(one);
    if (tokens === undefined) return undefined;
    found.push(...tokens);
  }
  return found;
});

/** `a{b,c{d,e}}` is ab, acd, ace; nothing where a brace does not close, or they are too many. */
function expandBraces(pattern: string): string[] | undefined {
  const found: string[] = [];
  const waiting = [pattern];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const brace = firstBrace(next);
    if (brace === undefined) found.push(next);
    else if (brace.parts === undefined) return undefined;
    else for (const part of brace.parts) waiting.push(brace.before + part + brace.after);
    if ((found.length + waiting.length) * next.length > maxTokens) return undefined;
  }
  return found;
}

interface Brace {
  readonly before: string;
  /** Nothing where it does not close. */
  readonly parts: readonly string[] | undefined;
  readonly after: string;
}

function firstBrace(pattern: string): Brace | undefined {
  let depth = 0;
  let start = 0;
  let from = 0;
  const parts: string[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at];
    if (char === "\\") at++;
    else if (char === "[") at = endOfClass(pattern, at);
    else if (char === "{") {
      if (depth === 0) start = at;
      if (depth === 0) from = at + 1;
      depth++;
    } else if (depth === 1 && (char === "," || char === "}")) {
      parts.push(pattern.slice(from, at));
      from = at + 1;
      if (char === "}") return { before: pattern.slice(0, start), parts, after: pattern.slice(from) };
    } else if (char === "}" && depth > 0) depth--;
  }
  return depth === 0 ? undefined : { before: "", parts: undefined, after: "" };
}

/** Braces in a class mean themselves. */
function endOfClass(pattern: string, from: number): number {
  for (let at = from + 1; at < pattern.length; at++) {
    if (pattern[at] === "\\") at++;
    else if (pattern[at] === "]" && at > from + 1) return at;
  }
  return from;
}

function readTokens(pattern: string): Alternatives | undefined {
  const cursor: Cursor = { chars: [...pattern], at: 0 };
  const tokens: Token[] = [];
  // A path that ends before the folders is one of them too.
  let above: readonly Token[] | undefined;
  while (cursor.at < cursor.chars.length) {
    const rest = cursor.chars.slice(cursor.at, cursor.at + 3).join("");
    const isStart = cursor.at === 0 || cursor.chars[cursor.at - 1] === "/";
    const atEnd = cursor.chars.length - cursor.at;
    if (isSlash(tokens.at(-1)) && (rest === "**" || (rest === "**/" && atEnd === 3)))
      above = tokens.slice(0, -1);
    if (isStart && rest === "**/") {
      tokens.push({ kind: "folders" });
      cursor.at += 3;
      continue;
    }
    const token = readToken(cursor, isStart && rest === "**");
    if (token === undefined) return undefined;
    tokens.push(token);
  }
  return above ? [tokens, above] : [tokens];
}

function isSlash(token: Token | undefined): boolean {
  return token?.kind === "char" && token.char === "/";
}

function readToken(cursor: Cursor, isAll: boolean): Token | undefined {
  const char = cursor.chars[cursor.at] ?? "";
  cursor.at += 1;
  if (char === "?") return { kind: "one" };
  if (char === "[") return readRanges(cursor, "doublestar");
  if (char === "*") {
    if (cursor.chars[cursor.at] === "*") cursor.at += 1;
    return { kind: isAll ? "stars" : "star" };
  }
  if (char !== "\\") return { kind: "char", char };
  const escaped = cursor.chars[cursor.at];
  cursor.at += 1;
  return escaped === undefined ? undefined : { kind: "char", char: escaped };
}
