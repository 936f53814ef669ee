import type { Entry, ScalarNode } from "@capstan/krm-yaml";

const mark = "# kpt-set: ";
const setterName = /\$\{([^}]*)\}/g;

/** What a comment says a field is made of: "nginx:${tag}"; nothing where it says nothing of setters. */
export function patternIn(comment: string): string {
  return comment.startsWith(mark) ? comment.slice(mark.length).trim() : "";
}

/** A list's pattern stands beside its key, or beside the list where it is written in one line. */
export function listPattern({ key, value }: Entry): string {
  const isFlow = value.kind === "sequence" && value.flow;
  return patternIn(isFlow ? value.line : key.line);
}

export function settersIn(pattern: string): string[] {
  return [...pattern.matchAll(setterName)].map(([, name = ""]) => name.trim());
}

/** The part of a value that each setter of its pattern stands for; empty where it does not follow the pattern. */
export function currentValues(pattern: string, { value }: Pick<ScalarNode, "value">): Map<string, string> {
  const names = settersIn(pattern);
  const match = greedyMatch(pattern.split(/\$\{[^}]*\}/), value);
  if (!match || match.length !== names.length || match.some((part) => part === "")) return new Map();
  return new Map(names.map((name, index) => [name, match[index] ?? ""]));
}

/**
 * The texts between fixed parts, the first as long as possible, then the second, and so on, wherever in the value the
 * first fixed part occurs: what /a(.*)b(.*)c/ finds, without a search that can take exponential time.
 */
function greedyMatch(fixed: readonly string[], value: string): string[] | undefined {
  const [first = "", ...rest] = fixed;
  for (let from = value.indexOf(first); from >= 0; from = value.indexOf(first, from + 1)) {
    const found = splitGreedily(rest, value, from + first.length);
    if (found) return found;
    if (first === "") break;
  }
  return undefined;
}

function splitGreedily(rest: readonly string[], value: string, start: number): string[] | undefined {
  const ends: number[] = [];
  let limit = lineEnd(value, start);
  for (const part of rest.toReversed()) {
    const at = value.lastIndexOf(part, limit - part.length);
    if (at < start || at + part.length > limit) return undefined;
    ends.unshift(at);
    limit = at;
  }
  const parts: string[] = [];
  let from = start;
  rest.forEach((part, index) => {
    const end = ends[index] ?? from;
    parts.push(value.slice(from, end));
    from = end + part.length;
  });
  return parts;
}

/** "." matches no line break. */
function lineEnd(value: string, from: number): number {
  const end = value.indexOf("\n", from);
  return end < 0 ? value.length : end;
}
