import type { Paint } from "./paint.ts";

const context = 3;

interface Edit {
  kind: " " | "-" | "+";
  text: string;
  left: number;
  right: number;
}

/** `diff -u` of two texts; empty when they are the same. */
export function unifiedDiff(
  left: string,
  right: string,
  { names, paint }: { names: readonly [string, string]; paint: Paint },
): string {
  if (left === right) return "";
  const edits = editScript(linesOf(left), linesOf(right));
  const hunks = hunksOf(edits);
  const head = `--- ${names[0]}\n+++ ${names[1]}\n`;
  return head + hunks.map((hunk) => formatHunk(hunk, paint)).join("");
}

function linesOf(text: string): string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

/** Longest common subsequence; what both begin and end with is set aside first, which is most of a manifest. */
function editScript(left: readonly string[], right: readonly string[]): Edit[] {
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < left.length - start && end < right.length - start && left.at(-1 - end) === right.at(-1 - end))
    end += 1;
  const [a, b] = [left.slice(start, left.length - end), right.slice(start, right.length - end)];
  const same = (index: number): Edit => ({
    kind: " ",
    text: left[index] ?? "",
    left: index,
    right: index + (index < start ? 0 : right.length - left.length),
  });
  const before = Array.from({ length: start }, (_, index) => same(index));
  const after = Array.from({ length: end }, (_, index) => same(left.length - end + index));
  return [...before, ...middle(a, b, start), ...after];
}

/** Above this many cells the changed part is shown as replaced as a whole. */
const maxCells = 4_000_000;

function middle(a: readonly string[], b: readonly string[], start: number): Edit[] {
  const width = b.length + 1;
  if ((a.length + 1) * width > maxCells) {
    return [
      ...a.map((text, index): Edit => ({ kind: "-", text, left: start + index, right: start })),
      ...b.map((text, index): Edit => ({ kind: "+", text, left: start + a.length, right: start + index })),
    ];
  }
  const lengths = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] =
        a[i] === b[j]
          ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0);
  const edits: Edit[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const at = { left: start + i, right: start + j };
    if (i < a.length && j < b.length && a[i] === b[j]) {
      edits.push({ kind: " ", text: a[i] ?? "", ...at });
      i += 1;
      j += 1;
    } else if (
      i < a.length &&
      (j >= b.length || (lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0))
    ) {
      edits.push({ kind: "-", text: a[i] ?? "", ...at });
      i += 1;
    } else {
      edits.push({ kind: "+", text: b[j] ?? "", ...at });
      j += 1;
    }
  }
  return edits;
}

function hunksOf(edits: readonly Edit[]): Edit[][] {
  const hunks: Edit[][] = [];
  let until = -1;
  for (const [index, { kind }] of edits.entries()) {
    if (kind === " ") continue;
    const from = Math.max(index - context, until, 0);
    const to = Math.min(index + context + 1, edits.length);
    const last = hunks.at(-1);
    if (last && index - context <= until) last.push(...edits.slice(until, to));
    else hunks.push(edits.slice(from, to));
    until = to;
  }
  return hunks;
}

function formatHunk(hunk: readonly Edit[], paint: Paint): string {
  const [first] = hunk;
  const count = (kind: "-" | "+") => hunk.filter((edit) => edit.kind !== (kind === "-" ? "+" : "-")).length;
  const [lefts, rights] = [count("-"), count("+")];
  const begin = (line: number, length: number) => (length === 0 ? line : line + 1);
  const head = `@@ -${begin(first?.left ?? 0, lefts)},${lefts} +${begin(first?.right ?? 0, rights)},${rights} @@`;
  const lines = hunk.map(({ kind, text }) => {
    if (kind === "-") return paint("red", `-${text}`);
    return kind === "+" ? paint("green", `+${text}`) : ` ${text}`;
  });
  return `${paint("cyan", head)}\n${lines.join("\n")}\n`;
}
