import { type ApplicationRow, wordSearch } from "@capstan/model";
import type { FacetValue } from "../../primitives/filter-menu.tsx";
import type { ApplicationMap } from "../../queries/applications.ts";
import { columns, compareTexts } from "./columns.ts";
import { type Facet, facets, type ListView } from "./list-view.ts";
import { type RowFacts, rowFacts } from "./row-facts.ts";

interface AppRow {
  readonly kind: "app";
  readonly app: RowFacts;
}

export type Row =
  | { readonly kind: "group"; readonly label: string; readonly apps: readonly RowFacts[] }
  | AppRow;

export interface ListContent {
  readonly rows: readonly Row[];
  /** Applications shown, without group headings. */
  readonly shown: number;
  readonly all: number;
  /** Counts of a facet among what the other filters leave, as people expect of a filter; counted when asked for. */
  values(facet: Facet): readonly FacetValue[];
}

/** The applications as they stand on the page. */
export function appsInOrder({ rows }: ListContent): readonly RowFacts[] {
  return rows.flatMap((row) => (row.kind === "app" ? [row.app] : []));
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

type Missed = Facet | "text" | "several" | undefined;

interface Question {
  readonly view: ListView;
  readonly beside: Beside;
  readonly hasText: (searched: string) => boolean;
}

/** Which filter leaves it out; undefined: none. */
function misses(app: RowFacts, { view, beside, hasText }: Question): Missed {
  let missed: Facet | "text" | undefined;
  if (view.text !== "" && !hasText(app.searched())) missed = "text";
  for (const facet of facets) {
    const wanted = view.chosen[facet];
    if (wanted.length === 0 || hasWanted(facet, valuesOfFacet[facet](app, beside), wanted)) continue;
    if (missed) return "several";
    missed = facet;
  }
  return missed;
}

type Counts = Readonly<Record<Facet, Map<string, number>>>;

/** More at once are counted with all others anew. */
const changedAtMost = 500;

/** The list of one view, which a change of a few applications does not make anew. */
class CountedList {
  readonly question: Question;
  readonly #counts: Counts;
  readonly #compare: (left: AppRow, right: AppRow) => number;
  #rows: ApplicationMap;
  #shown: AppRow[] = [];
  content: ListContent;

  constructor(rows: ApplicationMap, question: Question) {
    this.question = question;
    this.#rows = rows;
    this.#compare = comparer(question.view);
    this.#counts = Object.fromEntries(facets.map((facet) => [facet, new Map()])) as Record<
      Facet,
      Map<string, number>
    >;
    for (const row of rows.values()) {
      const app = rowFacts(row);
      if (this.#count(app, 1)) this.#shown.push({ kind: "app", app });
    }
    this.#shown.sort(this.#compare);
    this.content = this.#newContent();
  }

  /** Whether it could be; else it is to be made anew. */
  update(rows: ApplicationMap): boolean {
    if (rows === this.#rows) return true;
    const changes = changesBetween(this.#rows, rows);
    if (changes === undefined) return false;
    this.#rows = rows;
    const shown = [...this.#shown];
    for (const { before, now } of changes) {
      const [old, next] = [before, now].map((row) => row && appRow(row));
      if (old && this.#count(old.app, -1)) shown.splice(this.#placeIn(shown, old), 1);
      if (next && this.#count(next.app, 1)) shown.splice(this.#placeIn(shown, next), 0, next);
    }
    this.#shown = shown;
    this.content = this.#newContent();
    return true;
  }

  /** Whether it is shown. */
  #count(app: RowFacts, by: 1 | -1): boolean {
    const missed = misses(app, this.question);
    if (missed === "text" || missed === "several") return false;
    for (const facet of missed ? [missed] : facets) {
      const counts = this.#counts[facet];
      for (const value of valuesOfFacet[facet](app, this.question.beside)) {
        const count = (counts.get(value) ?? 0) + by;
        if (count === 0) counts.delete(value);
        else counts.set(value, count);
      }
    }
    return missed === undefined;
  }

  /** Of what stands there, or would: no two stand at the same place. */
  #placeIn(shown: readonly AppRow[], row: AppRow): number {
    let [from, to] = [0, shown.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const other = shown[middle];
      if (other && this.#compare(other, row) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  #newContent(): ListContent {
    const shown = this.#shown;
    const known = new Map<Facet, readonly FacetValue[]>();
    const { group } = this.question.view;
    return {
      rows: group === "" ? shown : grouped(shown, group),
      shown: shown.length,
      all: this.#rows.size,
      values: (facet) => {
        const values = known.get(facet) ?? valuesOf(this.#counts[facet]);
        known.set(facet, values);
        return values;
      },
    };
  }
}

function appRow(row: ApplicationRow): AppRow {
  return { kind: "app", app: rowFacts(row) };
}

interface RowChange {
  readonly before: ApplicationRow | undefined;
  readonly now: ApplicationRow | undefined;
}

/** Undefined: too many. */
function changesBetween(before: ApplicationMap, now: ApplicationMap): readonly RowChange[] | undefined {
  const changes: RowChange[] = [];
  let kept = 0;
  for (const [key, row] of now) {
    const old = before.get(key);
    if (old) kept += 1;
    if (old === row) continue;
    if (changes.push({ before: old, now: row }) > changedAtMost) return undefined;
  }
  if (kept === before.size) return changes;
  for (const [key, row] of before) if (!now.has(key)) changes.push({ before: row, now: undefined });
  return changes.length > changedAtMost ? undefined : changes;
}

/** Gives the content of the list as it is asked for; what was given last is where the next begins. */
export function listCounter(): (rows: ApplicationMap, view: ListView, beside: Beside) => ListContent {
  let last: CountedList | undefined;
  return (rows, view, beside) => {
    const isSame = last?.question.view === view && isEqualBeside(last.question.beside, beside);
    if (!last || !isSame || !last.update(rows))
      last = new CountedList(rows, { view, beside, hasText: wordSearch(view.text) });
    return last.content;
  };
}

function isEqualBeside(left: Beside, right: Beside): boolean {
  return left.now === right.now && left.favourites === right.favourites;
}

function valuesOf(counts: ReadonlyMap<string, number>): FacetValue[] {
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((left, right) => compareTexts(left.value, right.value));
}

/** Equal only where it is the same application. */
function comparer(view: ListView): (left: AppRow, right: AppRow) => number {
  const column = columns.find(({ key }) => key === view.sort);
  const order = column?.compare ?? ((left: RowFacts, right: RowFacts) => left.rank - right.rank);
  const sign = view.descending ? -1 : 1;
  const byKey = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0);
  return ({ app: left }, { app: right }) =>
    sign * order(left, right) || compareTexts(left.name, right.name) || byKey(left.key, right.key);
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
function grouped(rows: readonly AppRow[], group: string): Row[] {
  const groups = Map.groupBy(rows, ({ app }) => groupOf(app, group));
  return [...groups]
    .map(([label, members]) => {
      const apps = members.map(({ app }) => app);
      const rank = apps.reduce((least, app) => Math.min(least, app.rank), Number.POSITIVE_INFINITY);
      return { label, members, apps, rank };
    })
    .sort((left, right) => left.rank - right.rank || compareTexts(left.label, right.label))
    .flatMap(({ label, members, apps }) => [{ kind: "group" as const, label, apps }, ...members]);
}
