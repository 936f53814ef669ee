/**
 * What globs of every dialect are made of, and how they are matched: patterns and texts come from users, so the time
 * is in proportion to one times the other, and `*a*a*a*b` takes no exponential time as a regular expression may.
 */
export type Token =
  | { readonly kind: "char"; readonly char: string }
  /** one: a character that is no separator. star: any number of these. stars: any text. folders: text up to a slash. */
  | { readonly kind: "one" | "star" | "stars" | "folders" }
  | { readonly kind: "class"; readonly has: (char: string) => boolean };

/** Any of them may match; nothing where the pattern is none. */
export type Alternatives = readonly (readonly Token[])[];

/** Longer patterns are none. */
const maxPatternLength = 4096;
/** Of all that one pattern's braces stand for: more make it none. */
export const maxTokens = 2 ** 15;

const maxKept = 2 ** 20;

/** A pattern is read once; a million tokens are kept. */
export function keepRead(
  read: (pattern: string) => Alternatives | undefined,
): (pattern: string) => Alternatives | undefined {
  const kept = new Map<string, Alternatives | undefined>();
  let weight = 0;
  return (pattern) => {
    if (kept.has(pattern)) return kept.get(pattern);
    const found = pattern.length > maxPatternLength ? undefined : read(pattern);
    weight += pattern.length + 100 + sizeOf(found ?? []);
    if (weight > maxKept) {
      kept.clear();
      weight = 0;
    }
    kept.set(pattern, found);
    return found;
  };
}

export function sizeOf(alternatives: Alternatives): number {
  return alternatives.reduce((sum, tokens) => sum + tokens.length + 1, 0);
}

export interface Cursor {
  readonly chars: readonly string[];
  at: number;
}

export function matchesAny(
  alternatives: Alternatives | undefined,
  text: string,
  separators: string,
): boolean {
  if (alternatives === undefined) return false;
  const chars = [...text];
  return alternatives.some((tokens) => matchesTokens(tokens, chars, separators));
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
    } else if (current?.kind === "stars" || current?.kind === "folders") {
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
      } else {
        const char = stars && furtherOn(tokens[stars.token - 1], stars.char, chars);
        if (stars === undefined || char === undefined) return false;
        stars = { token: stars.token, char };
        star = undefined;
        ({ token, char: at } = stars);
      }
    }
  }
}

/** Where a `**` may end next. */
function furtherOn(token: Token | undefined, at: number, chars: readonly string[]): number | undefined {
  if (at >= chars.length) return undefined;
  if (token?.kind !== "folders") return at + 1;
  const slash = chars.indexOf("/", at);
  return slash < 0 ? undefined : slash + 1;
}

/** All ways at once, a character after the other: at most one step for each token and character. */
function matchesAllWays(tokens: readonly Token[], chars: readonly string[], separators: string): boolean {
  let reached = new Uint8Array(tokens.length + 1);
  let next = new Uint8Array(tokens.length + 1);
  enter(tokens, reached, 0);
  for (const char of chars) {
    next.fill(0);
    for (let at = 0; at < tokens.length; at++) {
      const token = tokens[at];
      if (reached[at] === 0 || token === undefined) continue;
      if (token.kind === "stars" || (token.kind === "star" && !separators.includes(char)))
        enter(tokens, next, at);
      else if (token.kind === "folders") {
        next[at] = 1;
        if (char === "/") enter(tokens, next, at + 1);
      } else if (token.kind !== "star" && accepts(token, char, separators)) enter(tokens, next, at + 1);
    }
    [reached, next] = [next, reached];
  }
  return reached[tokens.length] === 1;
}

/** Stars may stand for nothing. */
function enter(tokens: readonly Token[], reached: Uint8Array, from: number): void {
  let at = from;
  for (; isStar(tokens[at]); at++) reached[at] = 1;
  reached[at] = 1;
}

function isStar(token: Token | undefined): boolean {
  return token?.kind === "star" || token?.kind === "stars" || token?.kind === "folders";
}

function accepts(token: Token, char: string, separators: string): boolean {
  if (token.kind === "char") return token.char === char;
  if (token.kind === "one") return !separators.includes(char);
  return token.kind === "class" && token.has(char);
}
