import {
  groupOf,
  type Manifest,
  type OperationPhase,
  type ResourceResult,
  type ResultCode,
} from "@capstan/model";
import { imagesOf } from "../tree/images.ts";
import type { SyncOutcome, SyncState, SyncTask } from "./sync-plan.ts";
import { resultId } from "./task-id.ts";

export interface TaskVerdict {
  status?: ResultCode;
  phase: OperationPhase;
  message: string;
}

export function resultFor(task: SyncTask, { status, phase, message }: TaskVerdict): ResourceResult {
  const object: Manifest | undefined = task.act === "apply" ? task.target : task.live;
  const images = object === undefined ? [] : imagesOf(object);
  return {
    group: object === undefined ? task.key.group : groupOf(object.apiVersion),
    version: task.version,
    kind: task.key.kind,
    namespace: task.key.namespace,
    name: task.key.name,
    syncPhase: task.phase,
    hookPhase: phase,
    message,
    ...(status === undefined ? {} : { status }),
    ...(task.act === "apply" && task.hook !== undefined ? { hookType: task.phase } : {}),
    ...(images.length === 0 ? {} : { images }),
  };
}

/** The state with a result added, or put in the place of the earlier one of its task. */
export function withResult(state: SyncState, result: ResourceResult): SyncState {
  const id = resultId(result);
  const index = state.results.findIndex((other) => resultId(other) === id);
  const results = index < 0 ? [...state.results, result] : state.results.with(index, result);
  return { ...state, results };
}

/** What the actions of a step gave, as part of the state that the next step starts from. */
export function recordOutcomes(state: SyncState, outcomes: readonly SyncOutcome[]): SyncState {
  let next = state;
  const isDryRun = outcomes.length > 0 && outcomes.every(({ action }) => "dryRun" in action && action.dryRun);
  if (isDryRun) {
    const passed = outcomes.every(({ ok }) => ok);
    next = passed && !next.dryRunFailed ? { ...next, validated: true } : { ...next, dryRunFailed: true };
  }
  if (outcomes.some(isRefusedFirst)) next = { ...next, dryRunFailed: true, firstTried: true };
  for (const outcome of outcomes) {
    const verdict = judge(outcome);
    if (verdict !== undefined) next = withResult(next, resultFor(verdict.task, verdict));
  }
  return next;
}

/** Nothing was changed before it, and nothing is after it. */
export function isRefusedFirst({ action, ok }: SyncOutcome): boolean {
  return !ok && action.act === "apply" && action.isFirst === true;
}

/** A hook that cannot be deleted or released is tried again at the next step; it changes no result. */
function judge({ action, ok, message }: SyncOutcome): (TaskVerdict & { task: SyncTask }) | undefined {
  if (action.act !== "apply" && action.act !== "prune") return undefined;
  const { task, dryRun } = action;
  if (!ok) return { task, status: "SyncFailed", phase: "Failed", message };
  if (dryRun) return undefined;
  if (action.act === "prune") return { task, status: "Pruned", phase: "Succeeded", message };
  return { task, status: "Synced", phase: "Running", message };
}
