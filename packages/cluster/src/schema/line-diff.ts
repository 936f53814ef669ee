/** A unified diff of two texts, as the go-difflib that kube-apiserver uses makes it (Python's difflib). */
export function unifiedDiff(before: string, after: string): string {
  const [old, now] = [linesOf(before), linesOf(after)];
  return groups(edits(old, now))
    .map((group) => printGroup(group, { old, now }))
    .join("");
}

const context = 3;
/** From so many lines on, those that are frequent begin no match. */
const manyLines = 200;

const linesOf = (text: string): string[] => text.split("\n").map((line) => `${line}\n`);

interface Block {
  a: number;
  b: number;
  size: number;
}

interface Edit {
  same: boolean;
  a: readonly [number, number];
  b: readonly [number, number];
}

interface Span {
  aLow: number;
  aHigh: number;
  bLow: number;
  bHigh: number;
}

function positions(lines: readonly string[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const [index, line] of lines.entries()) {
    const known = found.get(line);
    if (known) known.push(index);
    else found.set(line, [index]);
  }
  const most = Math.floor(lines.length / 100) + 1;
  if (lines.length >= manyLines)
    for (const [line, places] of found) if (places.length > most) found.delete(line);
  return found;
}

function edits(old: readonly string[], now: readonly string[]): Edit[] {
  const places = positions(now);
  const blocks: Block[] = [];
  const search = (span: Span): void => {
    const block = longest(old, now, { places, span });
    if (block.size === 0) return;
    search({ ...span, aHigh: block.a, bHigh: block.b });
    blocks.push(block);
    search({ ...span, aLow: block.a + block.size, bLow: block.b + block.size });
  };
  search({ aLow: 0, aHigh: old.length, bLow: 0, bHigh: now.length });
  const result: Edit[] = [];
  let [a, b] = [0, 0];
  for (const block of [...joined(blocks), { a: old.length, b: now.length, size: 0 }]) {
    if (a < block.a || b < block.b) result.push({ same: false, a: [a, block.a], b: [b, block.b] });
    [a, b] = [block.a + block.size, block.b + block.size];
    if (block.size > 0) result.push({ same: true, a: [block.a, a], b: [block.b, b] });
  }
  return result;
}

function joined(blocks: readonly Block[]): Block[] {
  const result: Block[] = [];
  for (const block of blocks) {
    const last = result.at(-1);
    if (last && last.a + last.size === block.a && last.b + last.size === block.b) last.size += block.size;
    else result.push({ ...block });
  }
  return result;
}

function longest(
  old: readonly string[],
  now: readonly string[],
  { places, span }: { places: ReadonlyMap<string, readonly number[]>; span: Span },
): Block {
  let best: Block = { a: span.aLow, b: span.bLow, size: 0 };
  let lengths = new Map<number, number>();
  for (let a = span.aLow; a < span.aHigh; a += 1) {
    const next = new Map<number, number>();
    for (const b of places.get(old[a] ?? "") ?? []) {
      if (b < span.bLow) continue;
      if (b >= span.bHigh) break;
      const size = (lengths.get(b - 1) ?? 0) + 1;
      next.set(b, size);
      if (size > best.size) best = { a: a - size + 1, b: b - size + 1, size };
    }
    lengths = next;
  }
  return widened(old, now, { best, span });
}

/** Lines too frequent to begin a match still belong to one beside them. */
function widened(
  old: readonly string[],
  now: readonly string[],
  { best, span }: { best: Block; span: Span },
): Block {
  let { a, b, size } = best;
  for (; a > span.aLow && b > span.bLow && old[a - 1] === now[b - 1]; size += 1) [a, b] = [a - 1, b - 1];
  while (a + size < span.aHigh && b + size < span.bHigh && old[a + size] === now[b + size]) size += 1;
  return { a, b, size };
}

/** Changes with so many lines around them; what lies far between parts them. */
function groups(all: readonly Edit[]): Edit[][] {
  if (!all.some(({ same }) => !same)) return [];
  const result: Edit[][] = [[]];
  for (const [index, edit] of all.entries()) {
    const [low, high] = edit.a;
    if (!edit.same || (index > 0 && index < all.length - 1 && high - low <= 2 * context)) {
      result.at(-1)?.push(edit);
      continue;
    }
    if (index > 0) result.at(-1)?.push(cut(edit, 0, Math.min(context, high - low)));
    if (index > 0 && index < all.length - 1) result.push([]);
    if (index < all.length - 1) result.at(-1)?.push(cut(edit, Math.max(0, high - low - context), high - low));
  }
  return result;
}

function cut({ a, b }: Edit, from: number, to: number): Edit {
  return { same: true, a: [a[0] + from, a[0] + to], b: [b[0] + from, b[0] + to] };
}

function printGroup(
  group: readonly Edit[],
  { old, now }: { old: readonly string[]; now: readonly string[] },
): string {
  const [first, last] = [group[0], group.at(-1)];
  if (!first || !last) return "";
  const head = `@@ -${range(first.a[0], last.a[1])} +${range(first.b[0], last.b[1])} @@\n`;
  const body = group.flatMap(({ same, a, b }) => {
    if (same) return old.slice(...a).map((line) => ` ${line}`);
    return [...old.slice(...a).map((line) => `-${line}`), ...now.slice(...b).map((line) => `+${line}`)];
  });
  return head + body.join("");
}

function range(from: number, to: number): string {
  const length = to - from;
  if (length === 1) return `${from + 1}`;
  return `${length === 0 ? from : from + 1},${length}`;
}
