import type { FacetValue } from "../../primitives/filter-menu.tsx";
import { flatten, sizeOf, type TreeItem, type TreeRoot } from "./tree-items.ts";

/** As they stand in the address; values of one facet are combined with or, facets with and. */
export const treeFacets = ["kind", "health", "sync", "owner"] as const;
export type TreeFacet = (typeof treeFacets)[number];

export interface TreeFilter {
  /** A part of the name, whatever its case. */
  readonly text: string;
  readonly chosen: Readonly<Record<TreeFacet, readonly string[]>>;
}

export function readTreeFilter(search: Readonly<Record<string, string>>): TreeFilter {
  const values = (facet: TreeFacet) => search[facet]?.split(",").filter(Boolean) ?? [];
  return {
    text: search.find ?? "",
    chosen: {
      kind: values("kind"),
      health: values("health"),
      sync: values("sync"),
      owner: values("owner"),
    },
  };
}

export function isFiltering({ text, chosen }: TreeFilter): boolean {
  return text !== "" || treeFacets.some((facet) => chosen[facet].length > 0);
}

/** What one object is, for each facet; its owners are all above it. */
function valuesOf(item: TreeItem, owners: readonly string[]): Record<TreeFacet, readonly string[]> {
  return {
    kind: [item.resource.kind],
    health: item.health === undefined ? [] : [item.health],
    sync: item.sync === undefined ? [] : [item.sync],
    owner: owners,
  };
}

/** What the filter finds, with what leads there. */
export function filterTree(root: TreeRoot, filter: TreeFilter): TreeRoot {
  const text = filter.text.toLowerCase();
  const isFound = (item: TreeItem, owners: readonly string[]) => {
    const values = valuesOf(item, owners);
    return (
      item.resource.name.toLowerCase().includes(text) &&
      treeFacets.every((facet) => {
        const chosen = filter.chosen[facet];
        return chosen.length === 0 || values[facet].some((value) => chosen.includes(value));
      })
    );
  };
  const keep = (items: readonly TreeItem[], owners: readonly string[]): TreeItem[] =>
    items.flatMap((item) => {
      const children = keep(item.children, [...owners, item.key]);
      if (children.length === 0 && !isFound(item, owners)) return [];
      return [{ ...item, children, size: sizeOf(children) }];
    });
  const items = keep(root.items, []);
  return { ...root, items, size: sizeOf(items) };
}

/** What there is to choose, with how many objects have it. */
export function treeFacetValues(root: TreeRoot): Record<TreeFacet, FacetValue[]> {
  const counts: Record<TreeFacet, Map<string, number>> = {
    kind: new Map(),
    health: new Map(),
    sync: new Map(),
    owner: new Map(),
  };
  for (const item of flatten(root.items)) {
    const values = valuesOf(item, []);
    for (const facet of treeFacets)
      for (const value of values[facet]) counts[facet].set(value, (counts[facet].get(value) ?? 0) + 1);
    if (item.size > 0) counts.owner.set(item.key, item.size);
  }
  const listed = (facet: TreeFacet) =>
    [...counts[facet]]
      .map(([value, count]) => ({ value, count }))
      .sort((left, right) => (left.value < right.value ? -1 : 1));
  return { kind: listed("kind"), health: listed("health"), sync: listed("sync"), owner: listed("owner") };
}
