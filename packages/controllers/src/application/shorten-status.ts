import { messageOf } from "@capstan/model";
import { type ApplicationRun, type FoundCondition, setConditions } from "./application-run.ts";
import { withoutResources } from "./operation-state.ts";

/** A status that the API server does not take whole is written without what makes it long, and says so. */
export function shortenStatus(run: ApplicationRun, error: unknown): void {
  const { draft, memory, needs, key } = run;
  memory.unwritable = `The status is too large to be written, its objects are left out: ${messageOf(error)}`;
  needs.log.warn({ app: key, problem: messageOf(error) }, "the status is too large to be written");
  const { resources: _, operationState, ...status } = draft.status;
  const { syncResult } = operationState ?? {};
  const shortened = operationState && {
    ...operationState,
    ...(syncResult && { syncResult: withoutResources(syncResult) }),
  };
  draft.status = { ...status, ...(shortened && { operationState: shortened }) };
  setConditions(run, ["UnknownError"], unwritableStatus(run));
}

export function isShortened({ draft: { status } }: ApplicationRun): boolean {
  return status.resources === undefined && status.operationState?.syncResult?.resources === undefined;
}

/** It stands there until a whole status is to be written again. */
export function unwritableStatus({ memory: { unwritable } }: ApplicationRun): FoundCondition[] {
  return unwritable === undefined ? [] : [{ type: "UnknownError", message: unwritable }];
}

/** What a comparison has found anew is tried as a whole. */
export function tryWholeStatus(run: ApplicationRun): void {
  if (run.memory.unwritable === undefined) return;
  run.memory.unwritable = undefined;
  setConditions(run, ["UnknownError"], []);
}
