import { type GoRegexp, GoRegexpError, goRegexp } from "@capstan/model/regexp";

/**
 * Globs as Argo CD's libraries read them.
 * flat: gobwas/glob without separators, where `*` also matches "/" (directory include and exclude).
 * Matched in time in proportion to the text, whatever a repository or an application has for a pattern.
 * path: doublestar and zglob, where `*` stays within one directory and `**` crosses them (value files, discovery).
 */
export function compileGlob(pattern: string, style: "flat" | "path"): (text: string) => boolean {
  const plain = oneStar(pattern, style);
  if (plain) return plain;
  const source = translate(pattern, style);
  if (source === undefined) return (text) => text === pattern;
  const expression = expressionOf(`(?s)^(?:${source})$`);
  return expression ? (text) => expression.test(text) : (text) => text === pattern;
}

/** Nearly all globs: one star at most, which takes no expression. */
function oneStar(pattern: string, style: "flat" | "path"): ((text: string) => boolean) | undefined {
  const [, head, tail] = /^([^*?[\]{}\\]*)\*([^*?[\]{}\\]*)$/.exec(pattern) ?? [];
  if (head === undefined || tail === undefined) return undefined;
  const least = head.length + tail.length;
  return (text) =>
    text.length >= least &&
    text.startsWith(head) &&
    text.endsWith(tail) &&
    (style === "flat" || !text.slice(head.length, text.length - tail.length).includes("/"));
}

export function hasGlob(pattern: string): boolean {
  return /[*?[{]/.test(pattern);
}

/** Nothing for a class like [z-a]. */
function expressionOf(source: string): GoRegexp | undefined {
  try {
    return goRegexp(source);
  } catch (error) {
    if (error instanceof GoRegexpError) return undefined;
    throw error;
  }
}

/** Regular expression for a glob, or nothing when brackets or braces do not close. */
function translate(pattern: string, style: "flat" | "path"): string | undefined {
  const any = style === "flat" ? "." : "[^/]";
  let source = "";
  let braces = 0;
  for (let at = 0; at < pattern.length; ) {
    const char = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
    let length = char.length;
    if (char === "*") {
      const star = readStars(pattern, at, any);
      source += star.source;
      length = star.length;
    } else if (char === "?") source += any;
    else if (char === "[") {
      const set = readSet(pattern, at);
      if (!set) return undefined;
      source += set.source;
      length = set.length;
    } else if (char === "{") {
      braces++;
      source += "(?:";
    } else if (char === "}" && braces > 0) {
      braces--;
      source += ")";
    } else if (char === "," && braces > 0) source += "|";
    else if (char === "\\" && at + 1 < pattern.length) {
      source += literal(String.fromCodePoint(pattern.codePointAt(at + 1) ?? 0));
      length = 1 + String.fromCodePoint(pattern.codePointAt(at + 1) ?? 0).length;
    } else source += literal(char);
    at += length;
  }
  return braces === 0 ? source : undefined;
}

function readStars(pattern: string, at: number, any: string): { source: string; length: number } {
  let end = at;
  while (pattern[end] === "*") end++;
  if (end - at === 1 || any === ".") return { source: `${any}*`, length: end - at };
  const opens = at === 0 || pattern[at - 1] === "/";
  if (opens && pattern[end] === "/") return { source: "(?:[^/]+/)*", length: end - at + 1 };
  return { source: ".*", length: end - at };
}

function readSet(pattern: string, at: number): { source: string; length: number } | undefined {
  const end = pattern.indexOf("]", at + 2);
  if (end < 0) return undefined;
  let body = pattern.slice(at + 1, end);
  const negated = body.startsWith("!") || body.startsWith("^");
  if (negated) body = body.slice(1);
  if (body === "") return undefined;
  const escaped = body.replace(/[\\[\]^&|~]/g, "\\$&");
  return { source: `[${negated ? "^" : ""}${escaped}]`, length: end - at + 1 };
}

function literal(char: string): string {
  return char.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
