import { canSync, decideAutoSync, windowSubject } from "@capstan/engine";
import { type ApplicationConditionType, blocksSync } from "@capstan/model";
import type { Step } from "../../loop/outcome.ts";
import { isRunning } from "../application-memory.ts";
import { type ApplicationRun, draftedApp, lookAgain, setConditions } from "../application-run.ts";

const evaluated: readonly ApplicationConditionType[] = ["SyncError"];

/** Starts an automated sync where one is due (Argo CD: controller/appcontroller.go autoSync). */
export const decideOperation: Step<ApplicationRun> = async (run) => {
  const { draft, due, memory, project, needs, key } = run;
  const isBusy = draft.operation !== undefined || isRunning(draft.status.operationState);
  if (!due || isBusy || !memory.comparison || !project) return "continue";
  if ((draft.status.conditions ?? []).some(blocksSync)) return "continue";
  const app = draftedApp(run);
  const decision = decideAutoSync({ app, nowMs: run.startedAt });
  setConditions(
    run,
    evaluated,
    decision.kind === "error" ? [{ type: "SyncError", message: decision.message }] : [],
  );
  if (decision.kind === "later") lookAgain(run, decision.retryAfterMs, decision.because);
  if (decision.kind !== "sync") return "continue";
  const window = canSync({ project, subject: windowSubject(app), nowMs: run.startedAt, manual: false });
  if (!window.canSync) {
    needs.log.info({ app: key, reason: window.reason }, "automated sync is blocked");
    lookAgain(run, windowLookMs, "a sync window may have opened");
    return "continue";
  }
  draft.operation = decision.operation;
  needs.log.info({ app: key, because: decision.because }, "automated sync");
  return "continue";
};

const windowLookMs = 30_000;
