import type { Search } from "../../paths.ts";
import { type ColumnKey, columns } from "./columns.ts";

/** By state, or by one of the columns. */
export type SortKey = "state" | ColumnKey;
export const sortKeys: readonly SortKey[] = ["state", ...columns.map(({ key }) => key)];

export const facets = [
  "health",
  "sync",
  "operation",
  "project",
  "cluster",
  "namespace",
  "label",
  "repo",
  "target",
  "auto",
  "changed",
  "favourite",
] as const;
export type Facet = (typeof facets)[number];

export const layouts = ["table", "tiles"] as const;
export type Layout = (typeof layouts)[number];

/** What the list shows, wholly told by the address. */
export interface ListView {
  readonly text: string;
  readonly chosen: Readonly<Record<Facet, readonly string[]>>;
  readonly sort: SortKey;
  readonly descending: boolean;
  /** "", "project", "cluster", "namespace", or "label:<key>". */
  readonly group: string;
  readonly layout: Layout;
  /** What whoever made the view calls it. */
  readonly title: string;
}

/** Of each facet nothing. */
export const noChoice: Record<Facet, readonly never[]> = {
  health: [],
  sync: [],
  operation: [],
  project: [],
  cluster: [],
  namespace: [],
  label: [],
  repo: [],
  target: [],
  auto: [],
  changed: [],
  favourite: [],
};

export const defaultView: ListView = {
  text: "",
  chosen: noChoice,
  sort: "state",
  descending: false,
  group: "",
  layout: "table",
  title: "",
};

const longestTitle = 60;

function listOf(text: string | undefined): string[] {
  return (text ?? "").split(",").filter((part) => part !== "");
}

export function readListView(search: Search): ListView {
  const sort = search.sort ?? "";
  const descending = sort.startsWith("-");
  const sortName = descending ? sort.slice(1) : sort;
  const chosen: Record<Facet, readonly string[]> = { ...noChoice };
  for (const facet of facets) chosen[facet] = listOf(search[facet]);
  return {
    text: search.q ?? "",
    chosen,
    sort: sortKeys.find((key) => key === sortName) ?? "state",
    descending,
    group: search.group ?? "",
    layout: layouts.find((layout) => layout === search.view) ?? "table",
    title: (search.title ?? "").slice(0, longestTitle),
  };
}

/** Defaults do not appear in the address. */
export function writeListView(view: ListView): Search {
  const sort = view.sort === "state" && !view.descending ? undefined : view.sort;
  const search: Record<string, string | undefined> = {
    q: view.text || undefined,
    sort: sort && `${view.descending ? "-" : ""}${sort}`,
    group: view.group || undefined,
    view: view.layout === "table" ? undefined : view.layout,
    title: view.title || undefined,
  };
  for (const facet of facets) search[facet] = view.chosen[facet].join(",") || undefined;
  return search;
}

export function toggled(view: ListView, facet: Facet, value: string): ListView {
  const values = view.chosen[facet];
  const next = values.includes(value) ? values.filter((other) => other !== value) : [...values, value];
  return { ...view, chosen: { ...view.chosen, [facet]: next } };
}

export function sortedBy(view: ListView, sort: SortKey): ListView {
  return { ...view, sort, descending: view.sort === sort ? !view.descending : false };
}

export function isFiltered(view: ListView): boolean {
  return view.text !== "" || facets.some((facet) => view.chosen[facet].length > 0);
}

export function withoutFilters(view: ListView): ListView {
  return { ...view, text: "", chosen: noChoice, title: "" };
}
