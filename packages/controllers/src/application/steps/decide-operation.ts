import { canSync, decideAutoSync, windowSubject } from "@capstan/engine";
import { type ApplicationConditionType, blocksSync } from "@capstan/model";
import { isRunning } from "../application-memory.ts";
import { draftedApp, type JudgedRun, lookAgain, setConditions } from "../application-run.ts";
import { holdForOthers, holdsNothing, othersLookMs } from "../hold-for-others.ts";

const evaluated: readonly ApplicationConditionType[] = ["SyncError"];

/** Starts an automated sync where one is due (Argo CD: controller/appcontroller.go autoSync). */
export function decideOperation({ run, project, prunes }: JudgedRun): void {
  const { draft, needs, key } = run;
  const isBusy = draft.operation !== undefined || isRunning(draft.status.operationState);
  if (isBusy || (draft.status.conditions ?? []).some(blocksSync)) return;
  const app = draftedApp(run);
  const decision = decideAutoSync({ app, nowMs: run.startedAt, prunes: prunes.kind });
  setConditions(
    run,
    evaluated,
    decision.kind === "error" ? [{ type: "SyncError", message: decision.message }] : [],
  );
  if (decision.kind === "later") lookAgain(run, decision.retryAfterMs, decision.because);
  if (decision.kind !== "sync") {
    holdsNothing(run);
    return;
  }
  const window = canSync({ project, subject: windowSubject(app), nowMs: run.startedAt, manual: false });
  if (!window.canSync) {
    needs.log.info({ app: key, reason: window.reason }, "automated sync is blocked");
    lookAgain(run, windowLookMs, "a sync window may have opened");
    return;
  }
  if (holdForOthers(run)) {
    lookAgain(run, othersLookMs, "the applications that it depends on may be ready");
    return;
  }
  draft.operation = decision.operation;
  needs.log.info({ app: key, because: decision.because }, "automated sync");
}

const windowLookMs = 30_000;
