import { FILE_HEADERS_ONLY, formatPatch, type StructuredPatchHunk } from "diff";
import { changedLines, wholeLines } from "./line-changes.ts";

/** Unchanged lines around a change. */
const context = 3;

/** What differs as a patch that `git apply` and `patch` take; the texts are those of a file of this name. */
export function patchText(fileName: string, before: string, after: string): string {
  const [linesA, linesB] = [wholeLines(before), wholeLines(after)];
  const hunks: StructuredPatchHunk[] = [];
  let endA = 0;
  for (const { fromA, toA, fromB, toB } of changedLines(linesA, linesB)) {
    let hunk = hunks.at(-1);
    if (hunk && fromA - endA <= 2 * context) add(hunk, " ", linesA.slice(endA, fromA));
    else {
      if (hunk) add(hunk, " ", linesA.slice(endA, endA + context));
      const lead = Math.min(context, fromA - endA);
      hunk = { oldStart: fromA - lead + 1, newStart: fromB - lead + 1, oldLines: 0, newLines: 0, lines: [] };
      add(hunk, " ", linesA.slice(fromA - lead, fromA));
      hunks.push(hunk);
    }
    add(hunk, "-", linesA.slice(fromA, toA));
    add(hunk, "+", linesB.slice(fromB, toB));
    endA = toA;
  }
  const last = hunks.at(-1);
  if (last) add(last, " ", linesA.slice(endA, endA + context));
  const names = { oldFileName: `a/${fileName}`, newFileName: `b/${fileName}` };
  return formatPatch({ ...names, oldHeader: undefined, newHeader: undefined, hunks }, FILE_HEADERS_ONLY);
}

function add(hunk: StructuredPatchHunk, mark: " " | "-" | "+", lines: readonly string[]): void {
  hunk.lines.push(...lines.map((line) => mark + line));
  if (mark !== "+") hunk.oldLines += lines.length;
  if (mark !== "-") hunk.newLines += lines.length;
}
