import { structuredPatch } from "diff";
import type { Paint } from "./paint.ts";

/** Above so many changed lines the texts are shown as replaced as a whole: the search takes the square of them. */
const maxEditLength = 2_000;

/** `diff -u` of two texts; empty when they are the same. A line end that the last line lacks makes no difference. */
export function unifiedDiff(
  left: string,
  right: string,
  { names: [leftName, rightName], paint }: { names: readonly [string, string]; paint: Paint },
): string {
  if (left === right) return "";
  const [before, after] = [ended(left), ended(right)];
  const found = structuredPatch(leftName, rightName, before, after, undefined, undefined, {
    context: 3,
    maxEditLength,
  });
  const hunks = found ? found.hunks : [wholeHunk(before, after)];
  const printed = hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => {
    const head = `@@ -${start(oldStart, oldLines)},${oldLines} +${start(newStart, newLines)},${newLines} @@`;
    return `${[paint("cyan", head), ...lines.map((line) => painted(line, paint))].join("\n")}\n`;
  });
  return `--- ${leftName}\n+++ ${rightName}\n${printed.join("")}`;
}

/** Of no lines: the one before them. */
function start(line: number, length: number): number {
  return length === 0 ? line - 1 : line;
}

function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

function painted(line: string, paint: Paint): string {
  if (line.startsWith("-")) return paint("red", line);
  return line.startsWith("+") ? paint("green", line) : line;
}

function wholeHunk(before: string, after: string) {
  const linesOf = (text: string) => text.split("\n").slice(0, -1);
  const [old, now] = [linesOf(before), linesOf(after)];
  return {
    oldStart: 1,
    oldLines: old.length,
    newStart: 1,
    newLines: now.length,
    lines: [...old.map((line) => `-${line}`), ...now.map((line) => `+${line}`)],
  };
}
