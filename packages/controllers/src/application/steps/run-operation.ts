import { canSync, retryAtMs, windowSubject } from "@capstan/engine";
import { traceparent } from "@capstan/flow";
import { parseTime } from "@capstan/formats";
import type { TenantCluster } from "@capstan/kube";
import { blocksSync, type Operation, type OperationState } from "@capstan/model";
import { type Outcome, settled } from "../../loop/outcome.ts";
import { isRunning } from "../application-memory.ts";
import { type ApplicationRun, draftedApp, type LoadedRun } from "../application-run.ts";
import { driveOperation } from "../drive-operation.ts";
import { holdForOthers, othersLookMs } from "../hold-for-others.ts";
import { operationFinished, operationStarted } from "../operation-events.ts";
import { blockersText, finishOperation, newOperationState, withoutResources } from "../operation-state.ts";
import { prepareOperation } from "../prepare-operation.ts";
import { recordOperation } from "../record-operation.ts";
import { operatedBy } from "../shard.ts";
import { writeDraft } from "../write-draft.ts";

/** Starts or goes on with the operation of the application, as far as it gets without waiting. */
export async function runOperation(loaded: LoadedRun, signal: AbortSignal): Promise<Outcome> {
  const { run } = loaded;
  const { draft } = run;
  const begun = isRunning(draft.status.operationState);
  if (!draft.operation && !begun) return settled;
  if (!begun && draft.operation) await begin(run, draft.operation, signal);
  else if (run.needs.shard && operatedBy(run.app) !== run.needs.shard.identity) await takeOver(run, signal);
  const state = draft.status.operationState;
  if (!state) return settled;
  const obstacle = obstacleOf(loaded, state);
  if (obstacle === "again") return beginRetry(loaded, state, signal);
  const others = obstacle ? undefined : waitForOthers(run, state);
  if (others) return others;
  return obstacle ?? goOn(loaded, signal);
}

/** The operation is in the Application before anything is done: after a crash it is found there. */
async function begin(run: ApplicationRun, operation: Operation, signal: AbortSignal): Promise<void> {
  const { draft } = run;
  run.memory.operation = undefined;
  const state = newOperationState(operation, run.needs.clock.now());
  draft.status.operationState = state;
  run.memory.begunAt = undefined;
  await writeDraft(run, signal);
  run.memory.begunAt = state.startedAt;
  run.memory.followed = traceparent();
  operationStarted(run, operation);
}

/** It was another controller's: nothing is done before it stands in the Application whose it is now, nor by what was known before. */
async function takeOver(run: ApplicationRun, signal: AbortSignal): Promise<void> {
  run.memory.operation = undefined;
  run.memory.begunAt = undefined;
  await writeDraft(run, signal);
}

const windowLookMs = 30_000;

/** What keeps the operation from going on now. A termination goes through in any case. */
function obstacleOf({ run, project }: LoadedRun, state: OperationState): Outcome | "again" | undefined {
  const { draft, needs } = run;
  if (state.phase === "Terminating") return undefined;
  if (state.finishedAt !== undefined) {
    const waitMs = (retryAtMs(state) ?? 0) - needs.clock.now();
    return waitMs > 0 ? { kind: "waiting", reason: "the next attempt", retryAfterMs: waitMs } : "again";
  }
  const startedAtMs = parseTime(state.startedAt);
  const window = canSync({
    project,
    subject: windowSubject(draftedApp(run)),
    nowMs: needs.clock.now(),
    manual: state.operation.initiatedBy?.automated !== true,
    ...(startedAtMs === undefined ? {} : { startedAtMs }),
  });
  if (window.canSync) return undefined;
  draft.status.operationState = { ...state, message: `Sync operation ${window.reason}` };
  return { kind: "waiting", reason: window.reason, retryAfterMs: windowLookMs };
}

/** Before anything was done; what is under way goes on. */
function waitForOthers(run: ApplicationRun, state: OperationState): Outcome | undefined {
  const isBegun = run.memory.operation !== undefined || (state.syncResult?.resources ?? []).length > 0;
  if (isBegun || state.phase === "Terminating" || state.operation.sync?.dryRun) return undefined;
  const hold = holdForOthers(run);
  if (!hold) return undefined;
  if (hold.kind === "refused") return end(run, { phase: "Failed", message: hold.message });
  run.draft.status.operationState = { ...state, message: hold.message };
  return { kind: "waiting", reason: hold.message, retryAfterMs: othersLookMs };
}

async function beginRetry(loaded: LoadedRun, state: OperationState, signal: AbortSignal): Promise<Outcome> {
  const { draft, memory, needs } = loaded.run;
  const { finishedAt: _, syncResult, ...rest } = state;
  const refresh = state.operation.retry?.refresh === true;
  draft.status.operationState = { ...rest, retryCount: (state.retryCount ?? 0) + 1, message: "" };
  if (syncResult && !refresh) draft.status.operationState.syncResult = withoutResources(syncResult);
  if (!refresh) return goOn(loaded, signal);
  draft.status.operationState.operation = withoutRevision(state.operation);
  memory.schedule.ask({ level: 3, reason: "a retry takes the newest revision", atMs: needs.clock.now() });
  return { kind: "waiting", reason: "the newest revision", retryAfterMs: 0 };
}

function withoutRevision(operation: Operation): Operation {
  if (!operation.sync) return operation;
  const { revision: _, revisions: __, ...sync } = operation.sync;
  return { ...operation, sync };
}

async function goOn(loaded: LoadedRun, signal: AbortSignal): Promise<Outcome> {
  const { run, tenant } = loaded;
  const { draft } = run;
  const state = draft.status.operationState;
  if (!state) return settled;
  const overdue = leftMs(run, state) < 0;
  if (overdue)
    draft.status.operationState = {
      ...state,
      phase: "Terminating",
      message: "operation is terminating due to timeout",
    };
  const conditions = draft.status.conditions ?? [];
  const blocking = conditions.find(({ type }) => type === "NotHonouredError") ?? conditions.find(blocksSync);
  const isEnding = overdue || state.phase === "Terminating";
  // What is under way goes on with its plan, but not past what would be unsafe.
  const isPlanned = isEnding || (run.memory.operation !== undefined && blocking?.type !== "NotHonouredError");
  if (blocking && !isPlanned) return end(run, { phase: "Error", message: blockersText(conditions) });
  const prepared = await prepareOperation(loaded, state, signal);
  if ("problem" in prepared) return end(run, { phase: prepared.phase, message: prepared.problem });
  const driven = await driveOperation(loaded, prepared.operation, signal);
  if (driven.kind !== "waiting") return end(run, driven, tenant);
  // What is being ended has no other end to wait for.
  const limitMs = isEnding ? driven.retryAfterMs : leftMs(run, state) + 1;
  return { ...driven, retryAfterMs: Math.min(driven.retryAfterMs, limitMs) };
}

/** How long an operation may go on; below zero: it is to be ended (controller.sync.timeout.seconds). */
function leftMs({ needs }: ApplicationRun, { startedAt }: OperationState): number {
  const { syncTimeoutMs } = needs.settings.current.general;
  if (syncTimeoutMs === 0) return Number.POSITIVE_INFINITY;
  return (parseTime(startedAt) ?? 0) + syncTimeoutMs - needs.clock.now();
}

type Ending = Pick<OperationState, "phase"> & { message: string };

function end(run: ApplicationRun, { phase, message }: Ending, tenant?: TenantCluster): Outcome {
  recordOperation(run, { phase, message }, tenant);
  const state = run.draft.status.operationState;
  const mayBeRetried = state?.phase !== "Terminating";
  const isOver = finishOperation(run, { phase, message, mayBeRetried });
  const now = run.draft.status.operationState;
  if (now && isOver) operationFinished(run, now);
  run.hasSynced = isOver && phase === "Succeeded";
  if (!run.hasSynced) lookAtResult(run);
  if (isOver || !now) return settled;
  return {
    kind: "waiting",
    reason: "the next attempt",
    retryAfterMs: (retryAtMs(now) ?? 0) - run.needs.clock.now(),
  };
}

/**
 * The result is compared at once, after the write of the draft, and reconciledAt moves past finishedAt, for which clients
 * wait (argo-cd cmd/argocd/commands/app.go waitOnApplicationStatus). What should be there is known: of a newer commit the
 * schedule is told apart.
 */
export function lookAtResult({ memory, needs }: ApplicationRun): void {
  const atMs = needs.clock.now();
  memory.schedule.ask({ level: 1, reason: "an operation finished", goesFirst: true, atMs });
}

/** An operation that cannot even begin, because the application is not understood, ends with that reason. */
export function failBlockedOperation(run: ApplicationRun, reason: string): void {
  const { draft } = run;
  const begun = isRunning(draft.status.operationState);
  if (!begun && draft.operation)
    draft.status.operationState = newOperationState(draft.operation, run.needs.clock.now());
  else if (!begun || draft.status.operationState?.finishedAt !== undefined) return;
  end(run, { phase: "Error", message: reason });
}
