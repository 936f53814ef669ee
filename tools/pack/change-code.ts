import { posix } from "node:path";

/** What is to stand in place of a part of a code. */
export interface CodeChange {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function withChanges(code: string, changes: readonly CodeChange[]): string {
  let changed = "";
  let from = 0;
  for (const { start, end, text } of changes.toSorted((one, other) => one.start - other.start)) {
    changed += code.slice(from, start) + text;
    from = end;
  }
  return changed + code.slice(from);
}

/** How one file names another, both by their paths from the top. */
export function pathFrom(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
}
