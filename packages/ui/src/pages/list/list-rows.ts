import { stateRank, wordSearch } from "@capstan/model";
import { columns, compareTexts } from "./columns.ts";
import { type Facet, facets, type ListView } from "./list-view.ts";
import type { RowFacts } from "./row-facts.ts";

export type Row =
  | { readonly kind: "group"; readonly label: string; readonly apps: readonly RowFacts[] }
  | { readonly kind: "app"; readonly app: RowFacts };

export interface FacetValue {
  readonly value: string;
  readonly count: number;
}

export interface ListContent {
  readonly rows: readonly Row[];
  /** Applications shown, without group headings. */
  readonly shown: number;
  readonly all: number;
  /** Counts of each facet among what the other filters leave, as people expect of a filter. */
  readonly values: Readonly<Record<Facet, readonly FacetValue[]>>;
}

export function facetValues(app: RowFacts, facet: Facet): readonly string[] {
  switch (facet) {
    case "health":
      return [app.health];
    case "sync":
      return [app.sync];
    case "project":
      return [app.project];
    case "cluster":
      return [app.cluster];
    case "namespace":
      return app.destinationNamespace === "" ? [] : [app.destinationNamespace];
    case "label":
      return app.labels;
  }
}

function misses(
  app: RowFacts,
  view: ListView,
  hasText: (searched: string) => boolean,
): Facet | "text" | "several" | undefined {
  let missed: Facet | "text" | undefined;
  if (!hasText(app.searched)) missed = "text";
  for (const facet of facets) {
    const wanted = view.chosen[facet];
    if (wanted.length === 0 || facetValues(app, facet).some((value) => wanted.includes(value))) continue;
    if (missed) return "several";
    missed = facet;
  }
  return missed;
}

export function listContent(apps: readonly RowFacts[], view: ListView): ListContent {
  const counts = new Map<Facet, Map<string, number>>(facets.map((facet) => [facet, new Map()]));
  const count = (app: RowFacts, facet: Facet) => {
    const of = counts.get(facet);
    for (const value of facetValues(app, facet)) of?.set(value, (of.get(value) ?? 0) + 1);
  };
  const shown: RowFacts[] = [];
  const hasText = wordSearch(view.text);
  for (const app of apps) {
    const missed = misses(app, view, hasText);
    if (missed === undefined) {
      shown.push(app);
      for (const facet of facets) count(app, facet);
    } else if (missed !== "several" && missed !== "text") count(app, missed);
  }
  shown.sort(comparer(view));
  return {
    rows: view.group === "" ? shown.map((app) => ({ kind: "app", app })) : grouped(shown, view.group),
    shown: shown.length,
    all: apps.length,
    values: {
      health: valuesOf(counts, "health"),
      sync: valuesOf(counts, "sync"),
      project: valuesOf(counts, "project"),
      cluster: valuesOf(counts, "cluster"),
      namespace: valuesOf(counts, "namespace"),
      label: valuesOf(counts, "label"),
    },
  };
}

function valuesOf(counts: ReadonlyMap<Facet, ReadonlyMap<string, number>>, facet: Facet): FacetValue[] {
  return [...(counts.get(facet) ?? [])]
    .map(([value, count]) => ({ value, count }))
    .sort((left, right) => compareTexts(left.value, right.value));
}

function comparer(view: ListView): (left: RowFacts, right: RowFacts) => number {
  const column = columns.find(({ key }) => key === view.sort);
  const order = column?.compare ?? ((left: RowFacts, right: RowFacts) => stateRank(left) - stateRank(right));
  const sign = view.descending ? -1 : 1;
  return (left, right) => sign * order(left, right) || compareTexts(left.name, right.name);
}

function groupOf(app: RowFacts, group: string): string {
  if (group.startsWith("label:")) {
    const prefix = `${group.slice("label:".length)}=`;
    return app.labels.find((label) => label.startsWith(prefix))?.slice(prefix.length) ?? "";
  }
  const facet = facets.find((name) => name === group);
  return facet ? (facetValues(app, facet)[0] ?? "") : "";
}

/** Groups stand in the order of their worst application, so that trouble stays on top. */
function grouped(apps: readonly RowFacts[], group: string): Row[] {
  const groups = Map.groupBy(apps, (app) => groupOf(app, group));
  const worst = (members: readonly RowFacts[]) => Math.min(...members.map(stateRank));
  return [...groups]
    .map(([label, members]) => ({ label, members, rank: worst(members) }))
    .sort((left, right) => left.rank - right.rank || compareTexts(left.label, right.label))
    .flatMap(({ label, members }) => [
      { kind: "group" as const, label, apps: members },
      ...members.map((app) => ({ kind: "app" as const, app })),
    ]);
}
