import {
  type Application,
  destinationCluster,
  failureCause,
  isAutomated,
  isSyncFailing,
  operationStanding,
  problemOf,
  searchTextOf,
} from "@capstan/model";
import { sourcesOf } from "../../parts/application-facts.ts";
import { timeOf } from "../../primitives/durations.ts";

/** What the list needs of one application, read once per version of it. */
export interface RowFacts {
  readonly key: string;
  readonly name: string;
  readonly namespace: string;
  readonly project: string;
  readonly health: string;
  readonly sync: string;
  readonly operation: OperationFacet;
  /** The worst cause, in short; and the whole text of it. */
  readonly problem: string;
  readonly problemText: string;
  readonly automatic: boolean;
  readonly repository: string;
  readonly revision: string;
  readonly target: string;
  readonly sources: number;
  readonly cluster: string;
  readonly destinationNamespace: string;
  readonly labels: readonly string[];
  /** Of the last sync; empty where there was none. */
  readonly syncedAt: string;
  /** Of that, or of the creation. */
  readonly changedTime: number;
  readonly deleting: boolean;
  /** What it is found by. */
  readonly searched: string;
}

/** How its last sync stands. Failing: it has failed, also where it is tried again. */
export type OperationFacet = "Failing" | "Retrying" | "Running" | "Succeeded" | "None";

const known = new WeakMap<Application, RowFacts>();

export function rowFacts(app: Application): RowFacts {
  const old = known.get(app);
  if (old) return old;
  const facts = readFacts(app);
  known.set(app, facts);
  return facts;
}

function readFacts(app: Application): RowFacts {
  const { metadata, spec, status } = app;
  const sources = sourcesOf(app);
  const first = sources[0];
  const operation = status?.operationState;
  const problemText = problemOf(app);
  const syncedAt = operation?.finishedAt ?? operation?.startedAt ?? "";
  return {
    key: `${metadata.namespace ?? ""}/${metadata.name}`,
    name: metadata.name,
    namespace: metadata.namespace ?? "",
    project: spec.project || "default",
    health: status?.health?.status ?? "Unknown",
    sync: status?.sync?.status ?? "Unknown",
    operation: operationFacet(app),
    problem: failureCause(problemText),
    problemText,
    automatic: isAutomated(app),
    repository: first?.repoURL ?? "",
    revision: status?.sync?.revision ?? status?.sync?.revisions?.[0] ?? "",
    target: first?.targetRevision || "HEAD",
    sources: sources.length,
    cluster: destinationCluster(app),
    destinationNamespace: spec.destination.namespace ?? "",
    labels: Object.entries(metadata.labels ?? {}).map(([name, value]) => `${name}=${value}`),
    syncedAt,
    changedTime: timeOf(syncedAt || metadata.creationTimestamp) ?? 0,
    searched: searchTextOf(app),
    deleting: metadata.deletionTimestamp !== undefined && metadata.deletionTimestamp !== null,
  };
}

function operationFacet(app: Application): OperationFacet {
  const { kind } = operationStanding(app);
  if (kind === "failed") return "Failing";
  if (isSyncFailing(app)) return "Retrying";
  if (kind === "asked" || kind === "running") return "Running";
  return kind === "succeeded" ? "Succeeded" : "None";
}
