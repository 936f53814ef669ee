import { type GoRegexp, tryRegexp } from "@capstan/formats/re2";

/** At the head of an expression, behind `^` and flags, as far as the matching bracket. */
interface Ahead {
  readonly isWanted: boolean;
  readonly inner: string;
}

interface Expression {
  readonly ahead: readonly { readonly isWanted: boolean; readonly expression: GoRegexp }[];
  readonly rest: GoRegexp;
}

const maxKept = 10_000;
const known = new Map<string, Expression | undefined>();

/**
 * Whether an expression of a project or policy matches a text; one that is none matches nothing. It is Go's, with what
 * Argo CD's library knows beyond that (dlclark/regexp2) where it is used: `^(?!…)` and `^(?=…)` at the head.
 */
export function matchesRegexp(source: string, text: string): boolean {
  if (!known.has(source)) {
    if (known.size >= maxKept) known.clear();
    known.set(source, readExpression(source));
  }
  const found = known.get(source);
  if (!found) return false;
  return (
    found.ahead.every(({ isWanted, expression }) => expression.test(text) === isWanted) &&
    found.rest.test(text)
  );
}

function readExpression(source: string): Expression | undefined {
  const [, flags = "", anchored] = /^(\(\?[ims]+\))?\^(.*)$/s.exec(source) ?? [];
  const { ahead, rest } = anchored === undefined ? { ahead: [], rest: source } : splitAhead(anchored);
  const behind = tryRegexp(ahead.length === 0 ? source : `${flags}^${rest}`);
  const before = ahead.flatMap(({ isWanted, inner }) => {
    const expression = tryRegexp(`${flags}^(?:${inner})`);
    return expression ? [{ isWanted, expression }] : [];
  });
  return behind && before.length === ahead.length ? { ahead: before, rest: behind } : undefined;
}

function splitAhead(source: string): { ahead: Ahead[]; rest: string } {
  const ahead: Ahead[] = [];
  let rest = source;
  for (let sign = rest.slice(0, 3); sign === "(?!" || sign === "(?="; sign = rest.slice(0, 3)) {
    const end = closing(rest);
    if (end < 0) break;
    ahead.push({ isWanted: sign === "(?=", inner: rest.slice(3, end) });
    rest = rest.slice(end + 1);
  }
  // Said of a part of an alternative only, it would mean another thing.
  return hasBareBar(rest) ? { ahead: [], rest: source } : { ahead, rest };
}

/** Where the bracket closes that the text begins with. */
function closing(text: string): number {
  for (const { at, depth } of bracketsOf(text)) if (depth === 0 && text[at] === ")") return at;
  return -1;
}

function hasBareBar(text: string): boolean {
  return [...bracketsOf(text)].some(({ at, depth }) => depth === 0 && text[at] === "|");
}

/** Brackets and bars that mean what they say: not escaped, not in a class. */
function* bracketsOf(text: string): Generator<{ at: number; depth: number }> {
  let depth = 0;
  let isInClass = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === "\\") at++;
    else if (isInClass) isInClass = char !== "]";
    else if (char === "[") isInClass = true;
    else if (char === "(") depth++;
    else if (char === ")") yield { at, depth: --depth };
    else if (char === "|") yield { at, depth };
  }
}
