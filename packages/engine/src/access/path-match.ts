import { matchesGlob } from "@capstan/model";

/**
 * Go's filepath.Match, with which project lists match groups, kinds and names: `*` stops at `/`, a class is negated
 * by `^`, and neither `**` nor `{a,b}` mean anything.
 */
export function matchesPath(pattern: string, text: string): boolean {
  if (pattern === text) return !/[\\[*?]/.test(pattern) || pattern === "*";
  if (pattern === "*") return !text.includes("/");
  return matchesGlob(toGlob(pattern), text, "/");
}

function toGlob(pattern: string): string {
  return pattern.replace(/\*+/g, "*").replace(/[{}]/g, "\\$&").replace(/\[\^/g, "[!");
}
