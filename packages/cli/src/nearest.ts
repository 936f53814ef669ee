/** The name that was probably meant, if one is near enough. */
export function nearest(typed: string, names: Iterable<string>): string | undefined {
  let best: { name: string; distance: number } | undefined;
  const limit = Math.max(1, Math.floor(typed.length / 3));
  for (const name of names) {
    const distance = editDistance(typed.toLowerCase(), name.toLowerCase(), limit);
    if (distance <= limit && distance < (best?.distance ?? Number.POSITIVE_INFINITY))
      best = { name, distance };
  }
  return best?.name;
}

/** Edits from one text to the other, as long as there are no more than `limit` (Damerau's, adjacent swaps count as one). */
function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) > limit) return limit + 1;
  let before: number[] = [];
  let above = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const cost = left[i - 1] === right[j - 1] ? 0 : 1;
      let edits = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + cost);
      const isSwap = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      if (isSwap) edits = Math.min(edits, (before[j - 2] ?? 0) + 1);
      row.push(edits);
    }
    before = above;
    above = row;
  }
  return above[right.length] ?? limit + 1;
}
