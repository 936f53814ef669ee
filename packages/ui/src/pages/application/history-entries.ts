import type { Application, ApplicationSource, RevisionHistory } from "@capstan/model";
import type { OperationRecord } from "@capstan/wire";
import { deployedSources } from "../../parts/application-facts.ts";

/** One line of the history: what is known of an operation, and the deployment that one can go back to. */
export interface HistoryEntry {
  /** Stays the same while the page is open: "r12" of a record, "d3" of a deployment without one. */
  readonly key: string;
  readonly phase: string;
  readonly revision: string;
  readonly sources: readonly ApplicationSource[];
  readonly startedAt: string | undefined;
  readonly finishedAt: string;
  readonly by: string | undefined;
  readonly record: OperationRecord | undefined;
  readonly deployment: RevisionHistory | undefined;
  /** It is what the cluster has. */
  readonly isCurrent: boolean;
}

/** Times are whole seconds: two that began in one are told apart by what they deployed. */
function isOf({ phase, dryRun, startedAt, revisions }: OperationRecord, one: RevisionHistory): boolean {
  const deployed = one.revision ?? one.revisions?.[0] ?? "";
  return (
    phase === "Succeeded" && !dryRun && one.deployStartedAt === startedAt && deployed === (revisions[0] ?? "")
  );
}

/** The newest first: every operation that is kept, and deployments from before. */
export function historyEntries(app: Application, records: readonly OperationRecord[]): HistoryEntry[] {
  const deployments = app.status?.history ?? [];
  const current = deployments.at(-1);
  const known = new Set<RevisionHistory>();
  const ofRecords = records.map((record): HistoryEntry => {
    const deployment = deployments.find((one) => !known.has(one) && isOf(record, one));
    if (deployment) known.add(deployment);
    return {
      key: `r${record.id}`,
      phase: record.phase,
      revision: record.revisions[0] ?? "",
      sources: record.sources,
      startedAt: record.startedAt,
      finishedAt: record.finishedAt,
      by: record.initiatedBy.automated ? "automatic sync" : record.initiatedBy.username,
      record,
      deployment,
      isCurrent: deployment !== undefined && deployment === current,
    };
  });
  const others = deployments
    .filter((deployment) => !known.has(deployment))
    .map(
      (deployment): HistoryEntry => ({
        key: `d${deployment.id}`,
        phase: "Succeeded",
        revision: deployment.revision ?? deployment.revisions?.[0] ?? "",
        sources: deployedSources(deployment),
        startedAt: deployment.deployStartedAt,
        finishedAt: deployment.deployedAt,
        by: deployment.initiatedBy?.automated ? "automatic sync" : deployment.initiatedBy?.username,
        record: undefined,
        deployment,
        isCurrent: deployment === current,
      }),
    );
  return [...ofRecords, ...others].sort(
    (left, right) => Date.parse(right.finishedAt) - Date.parse(left.finishedAt),
  );
}
