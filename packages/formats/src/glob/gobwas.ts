import {
  type Alternatives,
  type Cursor,
  keepRead,
  matchesAny,
  maxTokens,
  sizeOf,
  type Token,
} from "./tokens.ts";

/**
 * Globs as gobwas/glob reads them, which Argo CD uses for projects, RBAC, settings and a directory's files: `*` any text
 * without a separator, `**` any text, `?` one character that is no separator, `[abc]`, `[!abc]`, `[a-z]` (but no two of
 * them in one), `{a,b}`, `\` escapes. A brace that is not closed ends with the pattern. True when the whole text
 * matches; an invalid pattern matches nothing.
 */
export function matchesGlob(pattern: string, text: string, separators = ""): boolean {
  if (pattern === "*" && separators === "") return true;
  return matches(readGlob(pattern), text, separators);
}

/** The same of many texts, without a look for what was read of the pattern; nothing where it is invalid. */
export function compileGlob(pattern: string): ((text: string) => boolean) | undefined {
  const read = readGlob(pattern);
  return read && ((text) => matches(read, text, ""));
}

export function isValidGlob(pattern: string): boolean {
  return readGlob(pattern) !== undefined;
}

/**
 * Two ways in which gobwas/glob takes more than its patterns say, and on which denials may rest: what ends `team/*` and
 * begins `/web` may be one slash (match.PrefixSuffix), and one character may be none (match.Single and match.List).
 */
function matches(alternatives: Alternatives | undefined, text: string, separators: string): boolean {
  if (matchesAny(alternatives, text, separators)) return true;
  const [tokens, ...more] = alternatives ?? [];
  if (tokens === undefined || more.length > 0) return false;
  const [first] = tokens;
  if (text === "" && tokens.length === 1 && first !== undefined)
    return first.kind === "one" || (first.kind === "class" && first.has("\ufffd"));
  return separators === "" && matchesEnds(tokens, text);
}

function matchesEnds(tokens: readonly Token[], text: string): boolean {
  const at = tokens.findIndex(({ kind }) => kind === "star" || kind === "stars");
  if (at < 1 || at === tokens.length - 1) return false;
  let [start, end] = [0, text.length];
  for (let index = 0; index < at; index++) {
    const token = tokens[index];
    if (token?.kind !== "char" || !text.startsWith(token.char, start)) return false;
    start += token.char.length;
  }
  for (let index = tokens.length - 1; index > at; index--) {
    const token = tokens[index];
    if (token?.kind !== "char" || !text.endsWith(token.char, end)) return false;
    end -= token.char.length;
  }
  return true;
}

const readGlob = keepRead((pattern) => {
  const cursor: Cursor = { chars: [...pattern], at: 0 };
  return readSequence(cursor, 0);
});

/** Up to the end, or to the comma or brace that ends an alternative. */
function readSequence(cursor: Cursor, depth: number): Alternatives | undefined {
  let found: Alternatives = [[]];
  while (cursor.at < cursor.chars.length) {
    const char = cursor.chars[cursor.at];
    if (char === undefined || (depth > 0 && (char === "," || char === "}"))) return found;
    cursor.at += 1;
    const next = char === "{" ? readAlternatives(cursor, depth) : readToken(cursor, char);
    if (next === undefined) return undefined;
    const before = found;
    if (sizeOf(before) * next.length + sizeOf(next) * before.length > maxTokens) return undefined;
    found = next.flatMap((tokens) => before.map((start) => [...start, ...tokens]));
  }
  return found;
}

function readToken(cursor: Cursor, char: string): Alternatives | undefined {
  if (char === "?") return [[{ kind: "one" }]];
  if (char === "*") return [[{ kind: readStars(cursor) }]];
  if (char === "[") {
    const found = readClass(cursor);
    return found && [[found]];
  }
  if (char !== "\\") return [[{ kind: "char", char }]];
  const escaped = cursor.chars[cursor.at];
  cursor.at += 1;
  return escaped === undefined ? [[]] : [[{ kind: "char", char: escaped }]];
}

function readStars(cursor: Cursor): "star" | "stars" {
  let kind: "star" | "stars" = "star";
  while (cursor.chars[cursor.at] === "*") {
    kind = "stars";
    cursor.at += 1;
  }
  return kind;
}

/** One range, or a list in which a dash means itself (gobwas/glob syntax/lexer fetchRange). */
function readClass(cursor: Cursor): Token | undefined {
  const negated = cursor.chars[cursor.at] === "!";
  if (negated) cursor.at += 1;
  const [low, dash, high, end] = cursor.chars.slice(cursor.at, cursor.at + 4);
  if (dash === "-") {
    if (low === undefined || high === undefined || end !== "]" || low > high) return undefined;
    cursor.at += 4;
    return { kind: "class", has: (char) => (char >= low && char <= high) !== negated };
  }
  const members = new Set<string>();
  for (let char = cursor.chars[cursor.at]; char !== "]"; char = cursor.chars[cursor.at]) {
    if (char === "\\") cursor.at += 1;
    const member = cursor.chars[cursor.at];
    if (member === undefined) return undefined;
    members.add(member);
    cursor.at += 1;
  }
  cursor.at += 1;
  return members.size === 0 ? undefined : { kind: "class", has: (char) => members.has(char) !== negated };
}

function readAlternatives(cursor: Cursor, depth: number): Alternatives | undefined {
  const all: (readonly Token[])[] = [];
  for (;;) {
    const part = readSequence(cursor, depth + 1);
    if (part === undefined) return undefined;
    all.push(...part);
    if (sizeOf(all) > maxTokens) return undefined;
    const end = cursor.chars[cursor.at];
    cursor.at += 1;
    if (end !== ",") return all;
  }
}
