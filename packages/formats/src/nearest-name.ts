/** What was probably meant: the nearest but for case, at most two edits away, and no more than half of a short name. */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  let best: string | undefined;
  let least = Math.min(2, Math.floor(name.length / 2)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) >= least) continue;
    const distance = editDistance(wanted, candidate.toLowerCase(), { swaps: true });
    if (distance >= least) continue;
    best = candidate;
    least = distance;
  }
  return best;
}

/** Letters to add, remove or replace (Levenshtein); with `swaps` two neighbours may change places (Damerau). */
export function editDistance(left: string, right: string, { swaps = false } = {}): number {
  let before: number[] = [];
  let above = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const cost = left[i - 1] === right[j - 1] ? 0 : 1;
      let edits = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + cost);
      const isSwap = swaps && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      if (isSwap && i > 1) edits = Math.min(edits, (before[j - 2] ?? 0) + 1);
      row.push(edits);
    }
    before = above;
    above = row;
  }
  return above[right.length] ?? 0;
}
