import { type ApplicationRow, failureCause, searchTextOfRow, stateRank } from "@capstan/model";
import { timeOf } from "../../primitives/durations.ts";

/** What the list needs of one application, read once per version of it. */
export interface RowFacts extends Omit<ApplicationRow, "labels" | "foundBy" | "createdAt"> {
  readonly key: string;
  readonly labels: readonly string[];
  /** Of the last sync, or of the creation. */
  readonly changedTime: number;
  /** The worst stand first. */
  readonly rank: number;
  /** What it is found by. */
  searched(): string;
}

const known = new WeakMap<ApplicationRow, RowFacts>();

export function rowFacts(row: ApplicationRow): RowFacts {
  const old = known.get(row);
  if (old) return old;
  const { labels, foundBy: _, createdAt, ...shown } = row;
  let searched: string | undefined;
  const facts = {
    ...shown,
    key: `${row.namespace}/${row.name}`,
    labels: labels === "" ? [] : labels.split("\n"),
    changedTime: timeOf(row.syncedAt || createdAt) ?? 0,
    rank: stateRank(row),
    searched() {
      searched ??= searchTextOfRow(row);
      return searched;
    },
  };
  known.set(row, facts);
  return facts;
}

/** The worst cause, in short. */
export function causeOf({ problem }: Pick<RowFacts, "problem">): string {
  return problem === "" ? "" : failureCause(problem);
}
