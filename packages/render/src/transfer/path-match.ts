import { compileGlob } from "@capstan/plugin-kit";

/** Go's filepath.Match, in which braces mean themselves and any run of stars stays within one directory. */
export function compilePathMatch(pattern: string): (path: string) => boolean {
  return compileGlob(pattern.replace(/\*+/g, "*").replace(/[{},]/g, "\\$&"), "path");
}
