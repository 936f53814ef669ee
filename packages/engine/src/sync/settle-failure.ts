import { formatKey, type ResourceResult } from "@capstan/model";
import { removePrevious } from "./remove-previous.ts";
import { deletionsOf, dryRunFailure, hookTasks, type StepInput } from "./step-input.ts";
import type { ApplyTask, SyncAction, SyncStep, SyncTask } from "./sync-plan.ts";
import { resultId } from "./task-id.ts";
import { waitOrRelease } from "./waiting.ts";

/** After a failure: running hooks end, SyncFail hooks run, then the operation has failed (Argo CD: gitops-engine pkg/sync/sync_context.go Sync). */
export function settleFailure(
  input: StepInput,
  failed: readonly SyncTask[],
  release: readonly SyncAction[],
): SyncStep {
  const { state } = input;
  const results = new Map(state.results.map((result) => [resultId(result), result]));
  const hooks = hookTasks(input.plan);
  const running = hooks.filter(({ id }) => results.get(id)?.hookPhase === "Running");
  const [waitingFor] = running;
  if (waitingFor !== undefined) {
    const message = `waiting for completion of hook ${formatKey(waitingFor.key)}`;
    return waitOrRelease(state, message, release);
  }
  const pending = hooks.filter(({ id, phase }) => phase === "SyncFail" && !results.has(id));
  if (state.dryRunFailed !== true && pending.length > 0) return runSyncFail(input, pending, release);
  return {
    kind: "done",
    phase: results.size > 0 && hasError(state.results) ? "Error" : "Failed",
    message: failureMessage(input, failed, results),
    actions: [...release, ...deletionsAfterFailure(input)],
    state,
  };
}

function hasError(results: readonly ResourceResult[]): boolean {
  return results.some(({ hookPhase }) => hookPhase === "Error");
}

function runSyncFail(
  input: StepInput,
  pending: readonly ApplyTask[],
  release: readonly SyncAction[],
): SyncStep {
  const removal = removePrevious(input, pending, release);
  if (removal !== undefined) return removal;
  const applies: SyncAction[] = pending.map((task) => ({ act: "apply", task, dryRun: false }));
  const groups = [[...release], applies].filter((group) => group.length > 0);
  return { kind: "act", groups, state: input.state, message: "running SyncFail hooks", delayMs: 0 };
}

function failureMessage(
  { state }: StepInput,
  failed: readonly SyncTask[],
  results: ReadonlyMap<string, ResourceResult>,
): string {
  const failures = failed.flatMap(({ id }) => results.get(id) ?? []);
  if (state.dryRunFailed === true) return dryRunFailure(failures);
  const reasons = failures.map((result) => {
    const text = (result.message ?? "") === "" ? "failed" : result.message;
    return `${formatKey(result)}: ${text}`;
  });
  const wasRefused = failures.some(({ status }) => status === "SyncFailed");
  const isLate = state.results.some(({ syncPhase }) => syncPhase === "SyncFail");
  const what =
    wasRefused && !isLate
      ? "one or more objects failed to apply"
      : "one or more synchronization tasks completed unsuccessfully";
  return `${what}, reason: ${[...new Set(reasons)].join("; ")}`;
}

function deletionsAfterFailure({ plan, state, liveOf }: StepInput): SyncAction[] {
  const ran = new Set(state.results.map(resultId));
  const failed = hookTasks(plan).filter(
    ({ id, hook }) => hook?.deletePolicies.includes("HookFailed") === true && ran.has(id),
  );
  return deletionsOf(failed, liveOf);
}
