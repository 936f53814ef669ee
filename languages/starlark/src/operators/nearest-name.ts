/** The name that is most like another, if it is near enough to have been meant (go.starlark.net, internal/spell). */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Math.floor((fold(name).length + 1) / 2);
  for (const candidate of candidates) {
    const distance = distanceOf(fold(name), fold(candidate), least);
    if (distance >= least) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

const fold = (name: string): string => name.replaceAll("_", "").toLowerCase();

/** Levenshtein's, given up where it cannot stay below a limit. */
function distanceOf(one: string, other: string, limit: number): number {
  if (Math.abs(one.length - other.length) >= limit) return limit;
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? limit;
}
