import { RE2JS } from "re2js";

/** A match: the whole, its groups, and where it begins. */
export interface GoMatch {
  readonly index: number;
  /** The whole match, then each group; undefined where a group took no part. */
  readonly parts: readonly (string | undefined)[];
  readonly names: Readonly<Record<string, string | undefined>>;
}

/**
 * A regular expression of Go (RE2 syntax). Users and repositories choose expressions and what they are matched against:
 * matching takes time in proportion to the text, whatever the expression is, so no watch over it is needed.
 */
export interface GoRegexp {
  /** Whether any part of the text matches. */
  test(text: string): boolean;
  /** The first match. */
  find(text: string): GoMatch | undefined;
  findAll(text: string): Iterable<GoMatch>;
  /** The text with each match replaced. */
  replaceAll(text: string, by: (match: GoMatch) => string): string;
}

/** As Go's regexp/syntax says it: "error parsing regexp: …". */
export class GoRegexpError extends Error {
  override readonly name = "GoRegexpError";
}

const maxLength = 10_000;
const keptCharacters = 2 ** 20;
const known = new Map<string, GoRegexp>();
let knownCharacters = 0;

/** Throws GoRegexpError for what is no expression of Go, or longer than 10,000 characters. */
export function goRegexp(source: string): GoRegexp {
  const found = known.get(source);
  if (found) return found;
  const compiled = compile(source);
  knownCharacters += source.length + 100;
  if (knownCharacters > keptCharacters) {
    known.clear();
    knownCharacters = 0;
  }
  known.set(source, compiled);
  return compiled;
}

/** Nothing for what goRegexp refuses. */
export function tryRegexp(source: string): GoRegexp | undefined {
  try {
    return goRegexp(source);
  } catch (error) {
    if (error instanceof GoRegexpError) return undefined;
    throw error;
  }
}

/** A text as an expression that matches just it. */
export function quoteRegexp(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$]/g, "\\$&");
}

function compile(source: string): GoRegexp {
  if (source.length > maxLength)
    throw new GoRegexpError(`error parsing regexp: it has more than ${maxLength} characters`);
  const program = parse(source);
  const toMatch = (found: readonly unknown[] & { index?: number; groups?: object | undefined }): GoMatch => ({
    index: found.index ?? 0,
    parts: found.map((part) => (typeof part === "string" ? part : undefined)),
    names: Object.fromEntries(
      Object.entries(found.groups ?? {}).map(([name, value]) => [name, textOf(value)]),
    ),
  });
  function* findAll(text: string): Generator<GoMatch> {
    let end: number | undefined;
    for (const found of program.matchAll(text)) {
      const match = toMatch(found);
      const length = match.parts[0]?.length ?? 0;
      // Nothing right behind a match is none (regexp.allMatches).
      if (length === 0 && match.index === end) continue;
      end = match.index + length;
      yield match;
    }
  }
  return {
    test: (text) => program.test(text),
    find: (text) => {
      const found = program.exec(text);
      return found ? toMatch(found) : undefined;
    },
    findAll,
    replaceAll(text, by) {
      const pieces: string[] = [];
      let from = 0;
      for (const found of findAll(text)) {
        pieces.push(text.slice(from, found.index), by(found));
        from = found.index + (found.parts[0] ?? "").length;
      }
      return [...pieces, text.slice(from)].join("");
    },
  };
}

function parse(source: string): RE2JS {
  try {
    return RE2JS.compile(source);
  } catch (error) {
    throw new GoRegexpError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
