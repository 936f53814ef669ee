/** Equal for two items that are one and the same; undefined for what is the same as nothing. */
export type Identity = (item: unknown) => string | undefined;

/** Nothing is identified by it. */
const none = "none";

/** Where each item stands first. */
export function placesOf(
  items: readonly unknown[],
  identity: Identity,
): { of(item: unknown): number; has(item: unknown): boolean } {
  const places = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const id = identity(item);
    if (id !== undefined && !places.has(id)) places.set(id, index);
  }
  const placeOf = (item: unknown): number => places.get(identity(item) ?? none) ?? -1;
  return { of: placeOf, has: (item) => placeOf(item) >= 0 };
}

/** Splits items into those that the patch names and those that only the server knows. */
export function byPresence(
  items: readonly unknown[],
  order: readonly unknown[],
  identity: Identity,
): { present: unknown[]; absent: unknown[] } {
  const places = placesOf(order, identity);
  return { present: items.filter(places.has), absent: items.filter((item) => !places.has(item)) };
}

export function inOrder(items: readonly unknown[], order: readonly unknown[], identity: Identity): unknown[] {
  const places = placesOf(order, identity);
  return items
    .map((item) => ({ item, at: places.of(item) }))
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
  identity: Identity;
}): unknown[] {
  const { patched, others, live, identity } = input;
  const places = placesOf(live, identity);
  const out: unknown[] = [];
  let next = 0;
  for (const item of patched) {
    const at = places.of(item);
    while (next < others.length && at >= 0 && places.of(others[next]) < at) out.push(others[next++]);
    out.push(item);
  }
  return [...out, ...others.slice(next)];
}
