import type { RemovalVerdict } from "@capstan/engine";
import type { EventText } from "@capstan/kube";
import type { Application, Operation, OperationState } from "@capstan/model";
import type { ApplicationRun } from "./application-run.ts";

/** Reasons and texts of Argo CD (controller/appcontroller.go, util/argo/audit_logger.go). */
export function operationStarted(run: ApplicationRun, { sync, initiatedBy }: Operation): void {
  // Of what a person asks for, the API server has written down who it was.
  if (initiatedBy?.username) return;
  const revision = sync?.revisions?.join(", ") ?? sync?.revision ?? "";
  const how = initiatedBy?.automated ? "automated sync" : sync?.dryRun ? "dry run" : "sync";
  const message = `Initiated ${how}${revision === "" ? "" : ` to '${revision}'`}`;
  recordOf(run, { type: "Normal", reason: "OperationStarted", message });
}

/** With the annotations that Argo CD's controller gives its events. */
export function recordOf({ needs, app }: Pick<ApplicationRun, "needs" | "app">, text: EventText): void {
  const { server = "", namespace = "" } = app.spec.destination;
  needs.events.record(app, {
    ...text,
    annotations: { "dest-server": server, "dest-namespace": namespace, ...text.annotations },
  });
}

/** Capstan's own: a person has allowed to prune more than one sync may. */
export function pruneAllowed(run: ApplicationRun, prunes: RemovalVerdict): void {
  if (prunes.kind !== "allowed") return;
  recordOf(run, { type: "Normal", reason: "PruneAllowed", message: prunes.message });
}

export function operationFinished(run: ApplicationRun, state: OperationState): void {
  const { needs, app, key } = run;
  const { syncResult, operation, phase, message = "" } = state;
  const revision =
    syncResult?.revision ?? syncResult?.revisions?.join(", ") ?? operation.sync?.revision ?? "";
  const succeeded = phase === "Succeeded";
  const what = operation.sync?.resources?.length ? "Partial sync operation" : "Sync operation";
  recordOf(run, {
    type: succeeded ? "Normal" : "Warning",
    reason: "OperationCompleted",
    message: `${what} to ${revision} ${succeeded ? "succeeded" : `failed: ${message}`}`,
  });
  needs.metrics.synced(app, state);
  needs.log.info({ app: key, phase, revision, message }, "operation finished");
}

/** Changes of the status that people ask for afterwards. */
export function statusChanged(run: ApplicationRun, before: Application["status"]): void {
  const { draft } = run;
  const changes: [string, string | undefined, string | undefined][] = [
    ["sync", before?.sync?.status, draft.status.sync?.status],
    ["health", before?.health?.status, draft.status.health?.status],
  ];
  for (const [what, from, to] of changes) {
    if (to === undefined || from === to) continue;
    const message = `Updated ${what} status: ${from ?? ""} -> ${to}`;
    recordOf(run, { type: "Normal", reason: "ResourceUpdated", message });
  }
}
