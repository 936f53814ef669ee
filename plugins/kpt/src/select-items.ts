import {
  annotate,
  annotationOf,
  annotationsOf,
  clearAnnotation,
  type Item,
  identityOf,
  labelsOf,
  notes,
} from "./item.ts";
import type { Selector } from "./kptfile.ts";

/** The items that a function is given; one that two selectors match comes twice (fnruntime SelectInput). */
export function selectItems(
  items: readonly Item[],
  selectors: readonly Selector[],
  exclude: readonly Selector[],
): Item[] {
  const selected =
    selectors.length === 0
      ? [...items]
      : items.flatMap((item) => selectors.filter((selector) => matches(item, selector)).map(() => item));
  const excluding = exclude.filter((selector) => !isEmpty(selector));
  return selected.filter((item) => !excluding.some((selector) => matches(item, selector)));
}

export function matches(item: Item, selector: Selector): boolean {
  const identity = identityOf(item);
  const fields = ["apiVersion", "kind", "name", "namespace"] as const;
  if (!fields.every((field) => selector[field] === "" || selector[field] === identity[field])) return false;
  return contains(labelsOf(item), selector.labels) && contains(annotationsOf(item), selector.annotations);
}

function contains(all: ReadonlyMap<string, string>, wanted: ReadonlyMap<string, string>): boolean {
  return [...wanted].every(([key, value]) => all.get(key) === value);
}

function isEmpty({ labels, annotations, ...fields }: Selector): boolean {
  return labels.size === 0 && annotations.size === 0 && Object.values(fields).every((value) => value === "");
}

export function numberItems(items: readonly Item[]): void {
  for (const [index, item] of items.entries()) annotate(item, notes.kptId, String(index));
}

export function unnumberItems(items: readonly Item[]): void {
  for (const item of items) clearAnnotation(item, notes.kptId);
}

/**
 * What a function that saw only `selected` leaves of all: untouched items keep their place, changed ones take the place
 * of theirs, removed ones are gone, new ones come last (fnruntime MergeWithInput).
 */
export function mergeSelected(
  all: readonly Item[],
  selected: readonly Item[],
  output: readonly Item[],
): Item[] {
  const idOf = (item: Item): string => annotationOf(item, notes.kptId);
  const given = new Set(selected.map(idOf));
  const merged = all.flatMap((item) => {
    if (!given.has(idOf(item))) return [item];
    return output.find((one) => idOf(one) === idOf(item)) ?? [];
  });
  return [...merged, ...output.filter((item) => idOf(item) === "")];
}
