import { stateRank, wordSearch } from "@capstan/model";
import type { FacetValue } from "../../primitives/filter-menu.tsx";
import { columns, compareTexts } from "./columns.ts";
import { type Facet, facets, type ListView, noChoice } from "./list-view.ts";
import type { RowFacts } from "./row-facts.ts";

export type Row =
  | { readonly kind: "group"; readonly label: string; readonly apps: readonly RowFacts[] }
  | { readonly kind: "app"; readonly app: RowFacts };

export interface ListContent {
  readonly rows: readonly Row[];
  /** Applications shown, without group headings. */
  readonly shown: number;
  readonly all: number;
  /** Counts of each facet among what the other filters leave, as people expect of a filter. */
  readonly values: Readonly<Record<Facet, readonly FacetValue[]>>;
}

/** What the rows themselves do not know. */
export interface Beside {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Keys of applications. */
  readonly favourites: ReadonlySet<string>;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const valuesOfFacet: Record<Facet, (app: RowFacts, beside: Beside) => readonly string[]> = {
  health: (app) => [app.health],
  sync: (app) => [app.sync],
  operation: ({ operation }) => [operation === "Retrying" ? "Failing" : operation],
  project: (app) => [app.project],
  cluster: (app) => [app.cluster],
  namespace: (app) => (app.destinationNamespace === "" ? [] : [app.destinationNamespace]),
  label: (app) => app.labels,
  repo: (app) => (app.repository === "" ? [] : [app.repository]),
  target: (app) => [app.target],
  auto: ({ automatic }) => [automatic ? "on" : "off"],
  changed: ({ changedTime }, { now }) => [
    ...(now - changedTime <= hourMs ? ["hour"] : []),
    ...(now - changedTime <= dayMs ? ["day"] : []),
  ],
  favourite: ({ key }, { favourites }) => (favourites.has(key) ? ["yes"] : []),
};

/** One of the values, and of labels one of each key that is asked for. */
function hasWanted(facet: Facet, values: readonly string[], wanted: readonly string[]): boolean {
  if (facet !== "label") return values.some((value) => wanted.includes(value));
  const keyOf = (label: string) => label.slice(0, label.indexOf("="));
  const found = new Set(values.filter((value) => wanted.includes(value)).map(keyOf));
  return wanted.every((label) => found.has(keyOf(label)));
}

function misses(
  app: RowFacts,
  view: ListView,
  { hasText, beside }: { hasText: (searched: string) => boolean; beside: Beside },
): Facet | "text" | "several" | undefined {
  let missed: Facet | "text" | undefined;
  if (!hasText(app.searched)) missed = "text";
  for (const facet of facets) {
    const wanted = view.chosen[facet];
    if (wanted.length === 0 || hasWanted(facet, valuesOfFacet[facet](app, beside), wanted)) continue;
    if (missed) return "several";
    missed = facet;
  }
  return missed;
}

export function listContent(apps: readonly RowFacts[], view: ListView, beside: Beside): ListContent {
  const counts = new Map<Facet, Map<string, number>>(facets.map((facet) => [facet, new Map()]));
  const count = (app: RowFacts, facet: Facet) => {
    const of = counts.get(facet);
    for (const value of valuesOfFacet[facet](app, beside)) of?.set(value, (of.get(value) ?? 0) + 1);
  };
  const shown: RowFacts[] = [];
  const hasText = wordSearch(view.text);
  for (const app of apps) {
    const missed = misses(app, view, { hasText, beside });
    if (missed === undefined) {
      shown.push(app);
      for (const facet of facets) count(app, facet);
    } else if (missed !== "several" && missed !== "text") count(app, missed);
  }
  shown.sort(comparer(view));
  const values: Record<Facet, readonly FacetValue[]> = { ...noChoice };
  for (const facet of facets) values[facet] = valuesOf(counts, facet);
  return {
    rows: view.group === "" ? shown.map((app) => ({ kind: "app", app })) : grouped(shown, view.group),
    shown: shown.length,
    all: apps.length,
    values,
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
  if (group === "project") return app.project;
  if (group === "cluster") return app.cluster;
  return group === "namespace" ? app.destinationNamespace : "";
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
