import type { RemovalVerdict } from "@capstan/engine";
import type { Application, Operation, OperationState } from "@capstan/model";
import type { ApplicationRun } from "./application-run.ts";

/** Reasons and texts of Argo CD (controller/appcontroller.go, util/argo/audit_logger.go). */
export function operationStarted(run: ApplicationRun, { sync, initiatedBy }: Operation): void {
  const revision = sync?.revision ?? sync?.revisions?.join(", ") ?? "";
  const how = initiatedBy?.automated ? "automated sync" : sync?.dryRun ? "dry run" : "sync";
  const who = initiatedBy?.username ? `${initiatedBy.username} initiated` : "Initiated";
  const message = `${who} ${how}${revision === "" ? "" : ` to '${revision}'`}`;
  run.needs.events.record(run.app, { type: "Normal", reason: "OperationStarted", message });
}

/** Capstan's own: a person has allowed to prune more than one sync may. */
export function pruneAllowed(run: ApplicationRun, prunes: RemovalVerdict): void {
  if (prunes.kind !== "allowed") return;
  run.needs.events.record(run.app, { type: "Normal", reason: "PruneAllowed", message: prunes.message });
}

export function operationFinished(run: ApplicationRun, state: OperationState): void {
  const { needs, app, key } = run;
  const { syncResult, operation, phase, message = "" } = state;
  const revision =
    syncResult?.revision ?? syncResult?.revisions?.join(", ") ?? operation.sync?.revision ?? "";
  const succeeded = phase === "Succeeded";
  const what = operation.sync?.dryRun
    ? "Dry run"
    : operation.sync?.resources?.length
      ? "Partial sync operation"
      : "Sync operation";
  needs.events.record(app, {
    type: succeeded ? "Normal" : "Warning",
    reason: "OperationCompleted",
    message: `${what} to ${revision} ${succeeded ? "succeeded" : `failed: ${message}`}`,
  });
  needs.metrics.synced(app, phase, operation.sync?.dryRun === true);
  needs.log.info({ app: key, phase, revision, message }, "operation finished");
}

/** Changes of the status that people ask for afterwards. */
export function statusChanged(run: ApplicationRun, before: Application["status"]): void {
  const { needs, app, draft } = run;
  const changes: [string, string | undefined, string | undefined][] = [
    ["sync", before?.sync?.status, draft.status.sync?.status],
    ["health", before?.health?.status, draft.status.health?.status],
  ];
  for (const [what, from, to] of changes) {
    if (to === undefined || from === to) continue;
    const message = `Updated ${what} status: ${from ?? ""} -> ${to}`;
    needs.events.record(app, { type: "Normal", reason: "ResourceUpdated", message });
  }
}
