export type Same = (a: unknown, b: unknown) => boolean;

/** Splits items into those that the patch names and those that only the server knows. */
export function byPresence(
  items: readonly unknown[],
  order: readonly unknown[],
  same: Same,
): { present: unknown[]; absent: unknown[] } {
  const isPresent = (item: unknown): boolean => order.some((other) => same(other, item));
  return { present: items.filter(isPresent), absent: items.filter((item) => !isPresent(item)) };
}

export function inOrder(items: readonly unknown[], order: readonly unknown[], same: Same): unknown[] {
  const place = (item: unknown): number => order.findIndex((other) => same(other, item));
  return items
    .map((item) => ({ item, at: place(item) }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/**
 * One list of both: the patch's items in its order, and an item of the server before one of the patch only where
 * it stood before it in the live list (strategicpatch mergeSortedSlice).
 */
export function orderAs(input: {
  patched: readonly unknown[];
  others: readonly unknown[];
  live: readonly unknown[];
  same: Same;
}): unknown[] {
  const { patched, others, live, same } = input;
  const place = (item: unknown): number => live.findIndex((other) => same(other, item));
  const out: unknown[] = [];
  let next = 0;
  for (const item of patched) {
    const at = place(item);
    while (next < others.length && at >= 0 && place(others[next]) < at) out.push(others[next++]);
    out.push(item);
  }
  return [...out, ...others.slice(next)];
}
