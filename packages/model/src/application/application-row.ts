import type { Application } from "./application.ts";
import { isSyncFailing, operationStanding } from "./operation-standing.ts";
import { comparedRevisions, isAutomated, projectOf, sourcesOf } from "./read-application.ts";
import { destinationCluster, searchTextOf } from "./search-application.ts";
import { problemOf } from "./state-order.ts";

/** How its last sync stands. Failing: it has failed; Retrying: it has failed and is tried again. */
export type RowOperation = "Failing" | "Retrying" | "Running" | "Succeeded" | "None";

/** What a list of many shows of an application, sorts, counts and finds it by, in plain values. */
export type ApplicationRow = {
  readonly namespace: string;
  readonly name: string;
  readonly project: string;
  readonly health: string;
  readonly sync: string;
  readonly operation: RowOperation;
  /** As `problemOf` says, as far as it fits a row's hint. */
  readonly problem: string;
  readonly automatic: boolean;
  /** Of the first source. */
  readonly repository: string;
  readonly revision: string;
  readonly target: string;
  /** How many sources there are. */
  readonly sources: number;
  readonly cluster: string;
  readonly destinationNamespace: string;
  /** `key=value`, a line each. */
  readonly labels: string;
  /** When the last sync ended, or began; empty where there was none. */
  readonly syncedAt: string;
  readonly createdAt: string;
  readonly deleting: boolean;
  /** Lines of `searchTextOf` that stand nowhere else in the row. */
  readonly foundBy: string;
};

const longestProblem = 2_000;

export function applicationRow(app: Application): ApplicationRow {
  const { metadata, spec, status } = app;
  const sources = sourcesOf(app);
  const operation = status?.operationState;
  const row = {
    namespace: metadata.namespace ?? "",
    name: metadata.name,
    project: projectOf(app),
    health: status?.health?.status ?? "Unknown",
    sync: status?.sync?.status ?? "Unknown",
    operation: rowOperation(app),
    problem: problemOf(app).slice(0, longestProblem),
    automatic: isAutomated(app),
    repository: sources[0]?.repoURL ?? "",
    revision: comparedRevisions(app)[0] ?? "",
    target: sources[0]?.targetRevision || "HEAD",
    sources: sources.length,
    cluster: destinationCluster(app),
    destinationNamespace: spec.destination.namespace ?? "",
    labels: Object.entries(metadata.labels ?? {})
      .map(([name, value]) => `${name}=${value}`)
      .join("\n"),
    syncedAt: operation?.finishedAt ?? operation?.startedAt ?? "",
    createdAt: metadata.creationTimestamp ?? "",
    deleting: Boolean(metadata.deletionTimestamp),
  };
  const shown = new Set(shownTexts(row).toLowerCase().split("\n"));
  const foundBy = searchTextOf(app)
    .split("\n")
    .filter((line) => !shown.has(line));
  return { ...row, foundBy: foundBy.join("\n") };
}

function shownTexts(row: Omit<ApplicationRow, "foundBy">): string {
  const { name, namespace, project, cluster, destinationNamespace, labels } = row;
  const { repository, revision, target } = row;
  return [
    ...[name, namespace, project, cluster, destinationNamespace],
    ...[labels, repository, revision, target],
  ].join("\n");
}

/** What `wordSearch` looks through: all that `searchTextOf` gives of the application. */
export function searchTextOfRow(row: ApplicationRow): string {
  return `${shownTexts(row).toLowerCase()}\n${row.foundBy}`;
}

function rowOperation(app: Application): RowOperation {
  const { kind } = operationStanding(app);
  if (kind === "failed") return "Failing";
  if (isSyncFailing(app)) return "Retrying";
  if (kind === "asked" || kind === "running") return "Running";
  return kind === "succeeded" ? "Succeeded" : "None";
}
