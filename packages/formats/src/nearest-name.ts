/** What was probably meant: the nearest but for case, at most two edits away, and no more than half of a short name. */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  return nearestOf(name, candidates, {
    fold: (text) => text.toLowerCase(),
    below: Math.min(2, Math.floor(name.length / 2)) + 1,
    swaps: true,
  });
}

interface Nearness {
  /** What of a name counts. */
  readonly fold: (name: string) => string;
  /** Fewer edits than these. */
  readonly below: number;
  /** Two neighbours may change places (Damerau); else only letters are added, removed or replaced (Levenshtein). */
  readonly swaps: boolean;
}

/** Comparing takes one name's length times the other's, and who chooses them may be a stranger: longer ones are near to nothing. */
const longestName = 1000;

/** The first of the candidates with the fewest edits. */
export function nearestOf(
  name: string,
  candidates: Iterable<string>,
  { fold, below, swaps }: Nearness,
): string | undefined {
  if (name.length > longestName) return undefined;
  const wanted = fold(name);
  let best: string | undefined;
  let least = below;
  for (const candidate of candidates) {
    if (candidate.length > longestName) continue;
    const other = fold(candidate);
    if (Math.abs(other.length - wanted.length) >= least) continue;
    const distance = editDistance(wanted, other, swaps);
    if (distance >= least) continue;
    best = candidate;
    least = distance;
  }
  return best;
}

function editDistance(left: string, right: string, swaps: boolean): number {
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
