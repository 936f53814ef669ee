import { healthRank, syncRank } from "@capstan/model";
import type { RowFacts } from "./row-facts.ts";

const collator = new Intl.Collator("en", { numeric: true });
export const compareTexts = (left: string, right: string) => collator.compare(left, right);

interface Column {
  readonly key: string;
  readonly label: string;
  /** Of its track in the grid: on a wide page, below 1100 px, below 860 px; without one it is left out there. */
  readonly widths: readonly [wide: string, middle?: string, small?: string];
  compare(left: RowFacts, right: RowFacts): number;
}

const own = [
  {
    key: "name",
    label: "Name",
    widths: ["minmax(220px, 3.4fr)", "minmax(180px, 2fr)", "minmax(150px, 2fr)"],
    compare: (left, right) => compareTexts(left.name, right.name),
  },
  {
    key: "health",
    label: "Health",
    widths: ["108px", "110px", "110px"],
    compare: (left, right) => healthRank(left.health) - healthRank(right.health),
  },
  {
    key: "sync",
    label: "Sync",
    widths: ["108px", "110px", "110px"],
    compare: (left, right) => syncRank(left.sync) - syncRank(right.sync),
  },
  {
    key: "revision",
    label: "Revision",
    widths: ["minmax(150px, 2fr)", "minmax(120px, 1.4fr)", "minmax(90px, 1fr)"],
    compare: (left, right) => compareTexts(left.revision, right.revision),
  },
  {
    key: "project",
    label: "Project",
    widths: ["minmax(76px, 0.7fr)"],
    compare: (left, right) => compareTexts(left.project, right.project),
  },
  {
    key: "destination",
    label: "Destination",
    widths: ["minmax(120px, 1.1fr)", "minmax(110px, 1fr)"],
    compare: (left, right) =>
      compareTexts(left.cluster, right.cluster) ||
      compareTexts(left.destinationNamespace, right.destinationNamespace),
  },
  {
    key: "age",
    label: "Last sync",
    widths: ["92px", "92px"],
    compare: (left, right) => right.changedTime - left.changedTime,
  },
] as const satisfies readonly Column[];

export type ColumnKey = (typeof own)[number]["key"];

/** The list's columns in their order; what stands in a cell is told in app-row.tsx. */
export const columns: readonly (Column & { readonly key: ColumnKey })[] = own;

/** The grid's tracks on a wide page, below 1100 px and below 860 px, as list.css takes them; the first is for the choice. */
export function columnTracks(): Record<string, string> {
  const tracks = (at: number) => ["20px", ...columns.flatMap(({ widths }) => widths[at] ?? [])].join(" ");
  return { "--columns-wide": tracks(0), "--columns-middle": tracks(1), "--columns-small": tracks(2) };
}

/** Its cells' classes: its name, and where it is left out. */
export function columnClass(key: ColumnKey): string {
  const [, middle, small] = columns.find((column) => column.key === key)?.widths ?? [];
  const leftOut = middle === undefined ? " on-wide" : small === undefined ? " on-middle" : "";
  return `col-${key}${leftOut}`;
}
