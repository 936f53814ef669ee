import { type ChangeObject, diffArrays } from "diff";

/** A part of one text that is another part in the other: offsets, `to` behind the last character. */
export interface TextChange {
  readonly fromA: number;
  readonly toA: number;
  readonly fromB: number;
  readonly toB: number;
}

/** Lines, half open. */
interface Part {
  readonly fromA: number;
  readonly toA: number;
  readonly fromB: number;
  readonly toB: number;
}

/** Lines that come and go in one part of a text; beyond it the part is one change. */
const mostEdits = 1_000;

/**
 * What lines differ, in time that grows with the length of the texts: parts between lines that both have exactly once
 * (Cohen's patience diff), and in each of them the shortest edit as `diff` finds it, given up where it is long. Alone
 * `diff` takes the square of the edits: 900 in 9,000 lines were 1 to 2 s, with the parts they are below 0.1 s.
 */
export function lineChanges(a: string, b: string): TextChange[] {
  const linesA = a.split("\n");
  const linesB = b.split("\n");
  const parts = changedLines(linesA, linesB);
  const [startsA, startsB] = [startsOf(linesA), startsOf(linesB)];
  return parts.map((part) => textChange(part, { startsA, startsB, endA: a.length, endB: b.length }));
}

/** Lines that come and go, in order. */
export function changedLines(linesA: readonly string[], linesB: readonly string[]): Part[] {
  return split(linesA, linesB).flatMap((part) => edits(linesA, linesB, part));
}

/** How many lines of two whole texts come and go. */
export function countLines(before: string, after: string): { added: number; removed: number } {
  let [added, removed] = [0, 0];
  for (const { fromA, toA, fromB, toB } of changedLines(wholeLines(before), wholeLines(after)))
    [added, removed] = [added + toB - fromB, removed + toA - fromA];
  return { added, removed };
}

/** The lines of a text; the break at its end begins no other one. */
export function wholeLines(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function startsOf(lines: readonly string[]): number[] {
  let at = 0;
  return lines.map((line) => {
    const start = at;
    at += line.length + 1;
    return start;
  });
}

interface Offsets {
  startsA: readonly number[];
  startsB: readonly number[];
  endA: number;
  endB: number;
}

function textChange({ fromA, toA, fromB, toB }: Part, { startsA, startsB, endA, endB }: Offsets): TextChange {
  const start = (starts: readonly number[], line: number, end: number) => starts[line] ?? end;
  // Both have lines there: their last line break is the same.
  if (toA > fromA && toB > fromB)
    return {
      fromA: start(startsA, fromA, endA),
      toA: lineEnd(startsA, toA, endA),
      fromB: start(startsB, fromB, endB),
      toB: lineEnd(startsB, toB, endB),
    };
  const isLast = toA === startsA.length && toB === startsB.length;
  // Lines at the end go with the line break before them, others with the one behind.
  const shift = isLast && fromA > 0 && fromB > 0 ? 1 : 0;
  const at = (starts: readonly number[], line: number, end: number) =>
    line < starts.length ? start(starts, line, end) - shift : end;
  return {
    fromA: at(startsA, fromA, endA),
    toA: isLast ? endA : start(startsA, toA, endA),
    fromB: at(startsB, fromB, endB),
    toB: isLast ? endB : start(startsB, toB, endB),
  };
}

function lineEnd(starts: readonly number[], line: number, end: number): number {
  const next = starts[line];
  return next === undefined ? end : next - 1;
}

/** Parts between lines that both texts have exactly once, in the same order. */
function split(linesA: readonly string[], linesB: readonly string[]): Part[] {
  const once = uniqueLines(linesB);
  const pairs = [...uniqueLines(linesA)].flatMap(([line, at]) => {
    const other = once.get(line);
    return other === undefined ? [] : [{ a: at, b: other }];
  });
  pairs.sort((left, right) => left.a - right.a);
  const parts: Part[] = [];
  let [fromA, fromB] = [0, 0];
  for (const { a, b } of [...increasing(pairs), { a: linesA.length, b: linesB.length }]) {
    parts.push({ fromA, toA: a, fromB, toB: b });
    [fromA, fromB] = [a + 1, b + 1];
  }
  return parts;
}

function uniqueLines(lines: readonly string[]): Map<string, number> {
  const places = new Map<string, number>();
  const several = new Set<string>();
  for (const [at, line] of lines.entries()) {
    if (places.has(line)) several.add(line);
    else places.set(line, at);
  }
  for (const line of several) places.delete(line);
  return places;
}

/** The longest of those whose places in B grow, too. */
function increasing(pairs: readonly { a: number; b: number }[]): { a: number; b: number }[] {
  const ends: number[] = [];
  const before: number[] = [];
  for (const [index, { b }] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] ?? 0]?.b ?? 0) < b) low = middle + 1;
      else high = middle;
    }
    before[index] = low > 0 ? (ends[low - 1] ?? -1) : -1;
    ends[low] = index;
  }
  const found: { a: number; b: number }[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) {
    const pair = pairs[at];
    if (pair) found.push(pair);
  }
  return found.reverse();
}

/** The edits within a part; one of the whole where they are too many. */
function edits(linesA: readonly string[], linesB: readonly string[], part: Part): Part[] {
  let { fromA, toA, fromB, toB } = part;
  while (fromA < toA && fromB < toB && linesA[fromA] === linesB[fromB])
    [fromA, fromB] = [fromA + 1, fromB + 1];
  while (fromA < toA && fromB < toB && linesA[toA - 1] === linesB[toB - 1]) [toA, toB] = [toA - 1, toB - 1];
  if (fromA === toA && fromB === toB) return [];
  const whole = { fromA, toA, fromB, toB };
  if (fromA === toA || fromB === toB) return [whole];
  const changes = diffArrays(linesA.slice(fromA, toA), linesB.slice(fromB, toB), {
    maxEditLength: mostEdits,
  });
  return changes === undefined ? [whole] : placed(changes, { a: fromA, b: fromB });
}

type Changes = readonly Pick<ChangeObject<string[]>, "count" | "added" | "removed">[];

/** Lines that come and go, each beside those of the other text that they stand for. */
function placed(changes: Changes, from: { a: number; b: number }): Part[] {
  const found: Part[] = [];
  let { a, b } = from;
  let open: Part | undefined;
  for (const { count, added, removed } of changes) {
    if (!added && !removed) {
      if (open) found.push(open);
      open = undefined;
      [a, b] = [a + count, b + count];
      continue;
    }
    const { fromA, fromB } = open ?? { fromA: a, fromB: b };
    if (removed) a += count;
    else b += count;
    open = { fromA, toA: a, fromB, toB: b };
  }
  return open ? [...found, open] : found;
}
