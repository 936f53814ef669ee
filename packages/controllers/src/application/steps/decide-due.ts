import { equalJson } from "@capstan/formats";
import { type Application, type ApplicationSpec, annotationKeys, isSkipped, sourcesOf } from "@capstan/model";
import { isRunning } from "../application-memory.ts";
import type { ApplicationRun, DueRun } from "../application-run.ts";
import type { DueCompare } from "../comparison-schedule.ts";
import { marksOf } from "./say-not-honoured.ts";

/** What asks for a run; undefined where nothing does (Argo CD: controller/appcontroller.go needRefreshAppStatus). */
export function decideDue(run: ApplicationRun): DueRun | undefined {
  const { app, memory, startedAt, needs } = run;
  if (isSkipped(app.metadata.annotations)) {
    rest(run);
    return undefined;
  }
  const compare = memory.schedule.take(startedAt, askedByItself(run));
  if (compare) memory.schedule.begun(compare, startedAt, needs.settings.current.general);
  const isBusy = app.operation !== undefined || isRunning(app.status?.operationState);
  return compare || isBusy || app.metadata.deletionTimestamp !== undefined ? { run, compare } : undefined;
}

/** Nothing is due until the annotation goes, which is a change of the Application; then it is compared anew. */
function rest({ memory }: ApplicationRun): void {
  memory.schedule.clear();
  memory.comparedSpec = undefined;
  memory.isResting = true;
}

/** What the Application, as it is, asks for: at most one. */
function askedByItself(run: ApplicationRun): DueCompare[] {
  const { app, memory } = run;
  const asked = app.metadata.annotations?.[annotationKeys.refresh];
  if (asked !== undefined) {
    const timestamp = app.metadata.annotations?.[annotationKeys.refreshTimestamp];
    run.draft.answered = { value: asked, timestamp };
    return [{ level: 3, hard: asked === "hard", reason: `${asked} refresh requested` }];
  }
  const { comparedSpec, isResting } = memory;
  const isKnown = memory.desired !== undefined || memory.stands !== undefined;
  memory.isResting = false;
  if (isResting) return [{ level: 3, hard: false, reason: "it was left alone" }];
  if (!comparedSpec || !isKnown || app.status?.sync === undefined)
    return [{ level: 2, hard: false, reason: "not compared yet" }];
  if (!equalJson(sourcesOf({ spec: comparedSpec }), sourcesOf(app)))
    return [{ level: 3, hard: false, reason: "the source changed" }];
  if (!equalJson(comparable(comparedSpec), comparable(app.spec)))
    return [{ level: 2, hard: false, reason: "the spec changed" }];
  if (isNewManualOperation(app))
    return [{ level: namesRevision(app.operation) ? 2 : 3, hard: false, reason: "a sync was requested" }];
  if (memory.saidOf !== marksOf(app)) return [{ level: 1, hard: false, reason: "its annotations changed" }];
  return [];
}

/** What of a spec, beside its sources, a comparison depends on. */
function comparable({ destination, project, ignoreDifferences, syncPolicy }: ApplicationSpec): unknown {
  const { managedNamespaceMetadata, syncOptions, automated } = syncPolicy ?? {};
  return { destination, project, ignoreDifferences, managedNamespaceMetadata, syncOptions, automated };
}

/** One that names none deploys the newest commit, for which the remote is asked (controller/state.go CompareAppState). */
function namesRevision(operation: Application["operation"]): boolean {
  const { revision, revisions = [] } = operation?.sync ?? {};
  return (revision ?? "") !== "" || revisions.length > 0;
}

/** An operation that a person has just asked for looks at what is in the repository now. */
function isNewManualOperation({ operation, status }: Application): boolean {
  return (
    operation !== undefined && operation.initiatedBy?.automated !== true && !isRunning(status?.operationState)
  );
}
