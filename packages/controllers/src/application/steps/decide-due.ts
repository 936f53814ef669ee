import { type Application, type ApplicationSpec, annotationKeys, equalJson, sourcesOf } from "@capstan/model";
import type { Step } from "../../loop/outcome.ts";
import { isRunning } from "../application-memory.ts";
import type { ApplicationRun, DueCompare } from "../application-run.ts";

/** Ends the run when nothing asks for one (argocd-sync.md §1.1). */
export const decideDue: Step<ApplicationRun> = async (run) => {
  const { app, memory } = run;
  if (app.metadata.annotations?.[annotationKeys.skipReconcile] === "true")
    return { kind: "stalled", reason: "skip-reconcile" };
  run.due = dueCompare(run);
  memory.wanted = undefined;
  const isBusy = app.operation !== undefined || isRunning(app.status?.operationState);
  if (run.due || isBusy || app.metadata.deletionTimestamp !== undefined) return "continue";
  return { kind: "settled" };
};

function dueCompare(run: ApplicationRun): DueCompare | undefined {
  const { app, memory, startedAt } = run;
  const asked = app.metadata.annotations?.[annotationKeys.refresh];
  if (asked !== undefined) {
    const timestamp = app.metadata.annotations?.[annotationKeys.refreshTimestamp];
    run.refresh = { value: asked, timestamp };
    return { level: 3, hard: asked === "hard", reason: `${asked} refresh requested` };
  }
  const { comparedSpec, desired, wanted } = memory;
  if (!comparedSpec || !desired || app.status?.sync === undefined) {
    return { level: 2, hard: false, reason: "not compared yet" };
  }
  if (!equalJson(sourcesOf({ spec: comparedSpec }), sourcesOf(app))) {
    return { level: 3, hard: false, reason: "the source changed" };
  }
  if (!equalJson(comparable(comparedSpec), comparable(app.spec))) {
    return { level: 2, hard: false, reason: "the spec changed" };
  }
  if (isNewManualOperation(app)) return { level: 2, hard: false, reason: "a sync was requested" };
  if (memory.nextHardAt !== undefined && memory.nextHardAt <= startedAt) {
    return { level: 2, hard: true, reason: "hard resync" };
  }
  if (memory.nextResyncAt !== undefined && memory.nextResyncAt <= startedAt) {
    return { level: 2, hard: false, reason: "resync" };
  }
  if (memory.secretsUntil !== undefined && memory.secretsUntil <= startedAt) {
    return { level: 2, hard: false, reason: "its secrets are asked for again" };
  }
  const { lookAgain } = memory;
  if (lookAgain !== undefined && lookAgain.atMs <= startedAt) {
    memory.lookAgain = undefined;
    return { level: lookAgain.level, hard: false, reason: lookAgain.reason };
  }
  return wanted && { ...wanted, hard: false };
}

/** What of a spec, beside its sources, a comparison depends on. */
function comparable({ destination, project, ignoreDifferences, syncPolicy }: ApplicationSpec): unknown {
  const { managedNamespaceMetadata, syncOptions, automated } = syncPolicy ?? {};
  return { destination, project, ignoreDifferences, managedNamespaceMetadata, syncOptions, automated };
}

/** An operation that a person has just asked for looks at what is in the repository now. */
function isNewManualOperation({ operation, status }: Application): boolean {
  return (
    operation !== undefined && operation.initiatedBy?.automated !== true && !isRunning(status?.operationState)
  );
}
