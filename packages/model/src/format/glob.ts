/**
 * Globs as gobwas/glob reads them, which Argo CD uses for projects, RBAC and settings: `*` any text without a
 * separator, `**` any text, `?` one character that is no separator, `[abc]`, `[!abc]`, `[a-z]`, `{a,b}`, `\` escapes.
 * Not by regular expressions: patterns and texts come from users, and `*a*a*a*b` must not take exponential time.
 */

type Token =
  | { readonly kind: "char"; readonly char: string }
  | { readonly kind: "one" | "star" | "stars" }
  | { readonly kind: "class"; readonly negated: boolean; readonly has: (char: string) => boolean };

type Compiled = readonly (readonly Token[])[];

const maxPatternLength = 4096;
const maxAlternatives = 1024;
const maxCached = 10_000;
const cache = new Map<string, Compiled | undefined>();

/** Whether the whole text matches; an invalid pattern matches nothing. */
export function matchesGlob(pattern: string, text: string, separators = ""): boolean {
  if (pattern === "*" && separators === "") return true;
  const compiled = compileGlob(pattern);
  if (compiled === undefined) return false;
  const chars = [...text];
  return compiled.some((tokens) => matchesTokens(tokens, chars, separators));
}

export function isValidGlob(pattern: string): boolean {
  return compileGlob(pattern) !== undefined;
}

function compileGlob(pattern: string): Compiled | undefined {
  if (cache.has(pattern)) return cache.get(pattern);
  const compiled = pattern.length > maxPatternLength ? undefined : readPattern(pattern);
  if (cache.size >= maxCached) cache.clear();
  cache.set(pattern, compiled);
  return compiled;
}

function readPattern(pattern: string): Compiled | undefined {
  const cursor: Cursor = { chars: [...pattern], at: 0 };
  const alternatives = readSequence(cursor, 0);
  return cursor.at === cursor.chars.length ? alternatives : undefined;
}

interface Cursor {
  readonly chars: readonly string[];
  at: number;
}

/** Up to the end, or to the comma or brace that ends an alternative. */
function readSequence(cursor: Cursor, depth: number): Token[][] | undefined {
  let found: Token[][] = [[]];
  while (cursor.at < cursor.chars.length) {
    const char = cursor.chars[cursor.at];
    if (char === undefined || (depth > 0 && (char === "," || char === "}"))) return found;
    cursor.at += 1;
    const next = char === "{" ? readAlternatives(cursor, depth) : readToken(cursor, char);
    if (next === undefined || found.length * next.length > maxAlternatives) return undefined;
    const before = found;
    found = next.flatMap((tokens) => before.map((start) => [...start, ...tokens]));
  }
  return depth > 0 ? undefined : found;
}

function readToken(cursor: Cursor, char: string): Token[][] | undefined {
  if (char === "?") return [[{ kind: "one" }]];
  if (char === "*") return [[{ kind: readStars(cursor) }]];
  if (char === "[") return readClass(cursor);
  if (char !== "\\") return [[{ kind: "char", char }]];
  const escaped = cursor.chars[cursor.at];
  cursor.at += 1;
  return escaped === undefined ? undefined : [[{ kind: "char", char: escaped }]];
}

function readStars(cursor: Cursor): "star" | "stars" {
  let kind: "star" | "stars" = "star";
  while (cursor.chars[cursor.at] === "*") {
    kind = "stars";
    cursor.at += 1;
  }
  return kind;
}

function readClass(cursor: Cursor): Token[][] | undefined {
  const end = cursor.chars.indexOf("]", cursor.at + 1);
  if (end < 0) return undefined;
  const inside = cursor.chars.slice(cursor.at, end);
  cursor.at = end + 1;
  const negated = inside[0] === "!";
  const body = negated ? inside.slice(1) : inside;
  if (body.length === 0) return undefined;
  const [low, dash, high] = body;
  if (body.length === 3 && dash === "-" && low !== undefined && high !== undefined) {
    return low > high
      ? undefined
      : [[{ kind: "class", negated, has: (char) => char >= low && char <= high }]];
  }
  const members = new Set(body);
  return [[{ kind: "class", negated, has: (char) => members.has(char) }]];
}

function readAlternatives(cursor: Cursor, depth: number): Token[][] | undefined {
  const all: Token[][] = [];
  for (;;) {
    const part = readSequence(cursor, depth + 1);
    if (part === undefined) return undefined;
    all.push(...part);
    const end = cursor.chars[cursor.at];
    cursor.at += 1;
    if (end === "}") return all;
  }
}

interface Retry {
  readonly token: number;
  readonly char: number;
}

/** Of the texts and patterns that there are, hardly any needs more than one for each character. */
const freeSteps = 10_000;

/** Goes on greedily; after a mismatch lets the last `*` take one more character, then the last `**`. */
function matchesTokens(tokens: readonly Token[], chars: readonly string[], separators: string): boolean {
  let token = 0;
  let at = 0;
  let star: Retry | undefined;
  let stars: Retry | undefined;
  for (let steps = 0; ; steps++) {
    if (steps > freeSteps) return matchesAllWays(tokens, chars, separators);
    const current = tokens[token];
    const char = chars[at];
    if (current === undefined && char === undefined) return true;
    if (current?.kind === "star") {
      token += 1;
      star = { token, char: at };
    } else if (current?.kind === "stars") {
      token += 1;
      stars = { token, char: at };
      star = undefined;
    } else if (current !== undefined && char !== undefined && accepts(current, char, separators)) {
      token += 1;
      at += 1;
    } else {
      const skipped = star === undefined ? undefined : chars[star.char];
      if (star !== undefined && skipped !== undefined && !separators.includes(skipped)) {
        star = { token: star.token, char: star.char + 1 };
        ({ token, char: at } = star);
      } else if (stars !== undefined && stars.char < chars.length) {
        stars = { token: stars.token, char: stars.char + 1 };
        star = undefined;
        ({ token, char: at } = stars);
      } else return false;
    }
  }
}

/** All ways at once, a character after the other: at most one step for each token and character. */
function matchesAllWays(tokens: readonly Token[], chars: readonly string[], separators: string): boolean {
  let reached = new Uint8Array(tokens.length + 1);
  reached[0] = 1;
  passStars(tokens, reached);
  for (const char of chars) {
    const next = new Uint8Array(tokens.length + 1);
    for (const [at, token] of tokens.entries()) {
      if (reached[at] !== 1) continue;
      if (token.kind === "stars" || (token.kind === "star" && !separators.includes(char))) next[at] = 1;
      else if (token.kind !== "star" && accepts(token, char, separators)) next[at + 1] = 1;
    }
    passStars(tokens, next);
    reached = next;
  }
  return reached[tokens.length] === 1;
}

/** A star may stand for nothing. */
function passStars(tokens: readonly Token[], reached: Uint8Array): void {
  for (const [at, { kind }] of tokens.entries())
    if (reached[at] === 1 && (kind === "star" || kind === "stars")) reached[at + 1] = 1;
}

function accepts(token: Token, char: string, separators: string): boolean {
  if (token.kind === "char") return token.char === char;
  if (token.kind === "one") return !separators.includes(char);
  return token.kind === "class" && token.has(char) !== token.negated;
}
