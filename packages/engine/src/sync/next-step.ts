import { equalJson } from "@capstan/formats";
import {
  annotationKeys,
  finalizers,
  formatKey,
  type HealthStatus,
  type Manifest,
  type ResourceResult,
} from "@capstan/model";
import { initialDryRun } from "./initial-dry-run.ts";
import { resultFor, withResult } from "./record-outcomes.ts";
import { goesBefore } from "./remove-previous.ts";
import { settleFailure } from "./settle-failure.ts";
import { deletionsOf, dryRunFailure, hookTasks, type StepInput, unwatchedTasks } from "./step-input.ts";
import type { ApplyTask, SyncAction, SyncPlan, SyncState, SyncStep, SyncTask } from "./sync-plan.ts";
import { resultId } from "./task-id.ts";
import { waveStep } from "./wave-step.ts";

/** What to do next; pure, and the same again when nothing has changed (Argo CD: gitops-engine pkg/sync/sync_context.go Sync). */
export function nextStep(input: StepInput): SyncStep {
  const { plan } = input;
  if (input.terminate === true) return terminate(input);
  if (plan.problems.length > 0) return refuse(input);
  if (plan.dryRun) return dryRunStep(input);
  const known = { ...input, state: adoptHooks(input) };
  const first = initialDryRun(known);
  if (first !== undefined) return first;
  const state = observe(known);
  const current = { ...known, state };
  const release = releaseCompleted(current);
  const failed = failedTasks(current);
  if (failed.length > 0) return settleFailure(current, failed, release);
  return waveStep(current, release);
}

/**
 * Hooks that were made for this operation by a process that had no time to note it: none runs twice. What stood there
 * already when the operation was begun is of one that began within the same second.
 */
function adoptHooks({ plan, state, liveOf, isResumed }: StepInput): SyncState {
  const known = new Set(state.results.map(resultId));
  let next = state;
  for (const task of hookTasks(plan)) {
    const live = liveOf(task.key);
    if (known.has(task.id) || !isOfSame(live, task.target)) continue;
    if (!isResumed && task.live && task.live.metadata.uid === live?.metadata.uid) continue;
    const message = `${task.key.kind.toLowerCase()}/${task.key.name} created`;
    next = withResult(next, resultFor(task, { status: "Synced", phase: "Running", message }));
  }
  return next;
}

/** A part of the former version says no deployment in its mark. */
function isOfSame(live: Manifest | undefined, target: Manifest): boolean {
  const [mark, own] = [live, target].map((one) => one?.metadata.annotations?.[annotationKeys.hookOf]);
  return mark !== undefined && own !== undefined && `${own}/`.startsWith(`${mark}/`);
}

/** Results of the tasks that are still running, in view of what lives. */
function observe({ plan, state, liveOf, healthOf }: StepInput): SyncState {
  if (state.dryRunFailed === true) return state;
  const unwatched = new Set(unwatchedTasks(plan).map(({ id }) => id));
  const running = new Map(
    state.results
      .filter(({ hookPhase }) => hookPhase === "Running")
      .map((result) => [resultId(result), result] as const)
      .filter(([id]) => !unwatched.has(id)),
  );
  let next = state;
  for (const task of plan.tasks) {
    const result = running.get(task.id);
    if (result === undefined || task.act !== "apply") continue;
    const live = liveOf(task.key);
    const changed = live === undefined ? lost(result) : judgeLive(task, result, healthOf(live));
    if (changed !== undefined) next = withResult(next, changed);
  }
  return next;
}

function lost(result: ResourceResult): ResourceResult {
  const message = `${formatKey(result)} is missing, it might have been deleted`;
  return { ...result, hookPhase: "Error", message };
}

function judgeLive(
  task: ApplyTask,
  result: ResourceResult,
  health: HealthStatus | undefined,
): ResourceResult | undefined {
  const isHook = task.hook !== undefined;
  const own = isHook ? withoutStatus(result) : result;
  const status = health?.status;
  if (health === undefined || status === undefined)
    return { ...own, hookPhase: "Succeeded", ...(isHook ? { message: `${result.name} created` } : {}) };
  const told = health.message ? { message: health.message } : {};
  if (status === "Healthy") return { ...own, hookPhase: "Succeeded", ...(isHook ? told : {}) };
  if (status === "Degraded" || (status === "Unknown" && isHook))
    return { ...own, hookPhase: "Failed", ...told };
  const running = { ...result, ...told };
  return !isHook || equalJson(running, result) ? undefined : running;
}

/**
 * That a hook is Synced is said until it is over: from then on its phase tells (gitops-engine sync_context.go Sync, which
 * says so between two looks; here they are one, and `argocd app sync` shows what it saw on the way).
 */
function withoutStatus({ status: _status, ...result }: ResourceResult): ResourceResult {
  return result;
}

function isOver(result: ResourceResult | undefined): boolean {
  return (
    result?.hookPhase !== undefined && result.hookPhase !== "Running" && result.hookPhase !== "Terminating"
  );
}

/** Completed hooks lose our finalizer, so that they can be deleted. */
function releaseCompleted({ plan, state, liveOf }: StepInput): SyncAction[] {
  const results = new Map(state.results.map((result) => [resultId(result), result]));
  return hookTasks(plan)
    .filter((task) => isOver(results.get(task.id)) && holdsFinalizer(liveOf(task.key)))
    .map(({ key, version }) => ({ act: "release-hook", key, version, uid: liveOf(key)?.metadata.uid }));
}

function holdsFinalizer(live: Manifest | undefined): boolean {
  return (live?.metadata.finalizers ?? []).some((name) => name === finalizers.hook);
}

function failedTasks({ plan, state }: StepInput): SyncTask[] {
  const failed = new Set(
    state.results
      .filter(({ hookPhase }) => hookPhase === "Failed" || hookPhase === "Error")
      .map((result) => resultId(result)),
  );
  return plan.tasks.filter(({ id }) => failed.has(id));
}

function refuse({ plan, state }: StepInput): SyncStep {
  let next = state;
  for (const { id, message } of plan.problems) {
    const task = plan.tasks.find((other) => other.id === id);
    if (task === undefined) continue;
    const { hookPhase: _, ...result } = resultFor(task, { status: "SyncFailed", phase: "Failed", message });
    next = withResult(next, result);
  }
  const reasons = [...new Set(plan.problems.map(({ message }) => message))].join("; ");
  return {
    kind: "done",
    phase: "Failed",
    message: `one or more synchronization tasks are not valid: ${reasons}`,
    actions: [],
    state: next,
  };
}

/** An operation that is itself a dry run: everything is tried, nothing changed. */
function dryRunStep({ plan, state, liveOf }: StepInput): SyncStep {
  const failed = state.results.filter(({ status }) => status === "SyncFailed");
  if (failed.length > 0) {
    return { kind: "done", phase: "Failed", message: dryRunFailure(failed), actions: [], state };
  }
  const actions = dryRunActions(plan, liveOf);
  if (!state.validated && actions.length > 0) {
    return { kind: "act", groups: [actions], state, message: "dry run", delayMs: 0 };
  }
  let next = state;
  for (const task of plan.tasks) next = withResult(next, resultFor(task, dryRunVerdict(task)));
  return {
    kind: "done",
    phase: "Succeeded",
    message: "successfully synced (dry run)",
    actions: [],
    state: next,
  };
}

/** Nothing can be tried in a namespace that a real sync would make, nor on a hook that it would delete first. */
function dryRunActions({ tasks }: SyncPlan, liveOf: StepInput["liveOf"]): SyncAction[] {
  const coming = new Set(
    tasks
      .filter((task) => task.act === "apply" && task.createsNamespace === true && task.live === undefined)
      .map(({ key }) => key.name),
  );
  return tasks.flatMap((task): SyncAction[] => {
    if (task.act === "prune") return [{ act: "prune", task, dryRun: true }];
    if (task.act !== "apply" || task.skipDryRun || coming.has(task.key.namespace)) return [];
    if (goesBefore({ liveOf }, task)) return [];
    return [{ act: "apply", task, dryRun: true }];
  });
}

/** As kubectl says it. */
const wouldBe = { create: "created", update: "configured", none: "unchanged" } as const;

function dryRunVerdict(task: SyncTask): Parameters<typeof resultFor>[1] {
  if (task.act === "skip-prune") return { status: "PruneSkipped", phase: "Succeeded", message: task.because };
  if (task.act === "prune") return { status: "Pruned", phase: "Succeeded", message: "pruned (dry run)" };
  const { group, kind, name } = task.key;
  const object = `${kind.toLowerCase()}${group === "" ? "" : `.${group}`}/${name}`;
  return { status: "Synced", phase: "Succeeded", message: `${object} ${wouldBe[task.change]} (dry run)` };
}

/** Running hooks are let go and deleted; what is applied or complete keeps its result. */
function terminate({ plan, state, liveOf }: StepInput): SyncStep {
  const actions: SyncAction[] = [];
  let next = state;
  for (const result of state.results) {
    if (result.hookPhase !== "Running") continue;
    const task = hookTasks(plan).find(({ id }) => id === resultId(result));
    if (task === undefined) continue;
    next = withResult(next, { ...result, hookPhase: "Failed", message: "Terminated" });
    actions.push(...deletionsOf([task], liveOf));
  }
  return { kind: "done", phase: "Failed", message: "Operation terminated", actions, state: next };
}
