import { parseTime } from "@capstan/formats";
import { annotationKeys, finalizers, formatKey, type Manifest, type ResourceResult } from "@capstan/model";
import { resultFor, withResult } from "./record-outcomes.ts";
import { deletionsOf, hookTasks, type StepInput, unwatchedTasks } from "./step-input.ts";
import type { ApplyTask, PruneTask, SyncAction, SyncState, SyncStep, SyncTask } from "./sync-plan.ts";
import { resultId } from "./task-id.ts";

/**
 * Before anything changes: the destination namespace for real, since nothing can be tried in one that is missing,
 * then a dry run of the rest (Argo CD: gitops-engine pkg/sync/sync_context.go Sync).
 */
export function initialDryRun(input: StepInput): SyncStep | undefined {
  const { plan, state, dryRunFirst } = input;
  const done = new Set(state.results.map(resultId));
  const namespaces = plan.tasks.filter(isNamespaceCreation).filter(({ id }) => !done.has(id));
  if (namespaces.length > 0 && state.results.length === 0) {
    const groups: SyncAction[][] = [namespaces.map((task) => ({ act: "apply", task, dryRun: false }))];
    return { kind: "act", groups, state, message: "creating the namespace", delayMs: 0 };
  }
  if (!dryRunFirst || state.validated) return undefined;
  const isFirst = plan.tasks.every((task) => isNamespaceCreation(task) || !done.has(task.id));
  if (!isFirst) return undefined;
  const testable = plan.tasks
    .filter((task) => task.act === "apply")
    .filter((task) => task.createsNamespace !== true && !task.skipDryRun)
    // What is deleted first takes neither other fields nor, while it goes, a finalizer: that tells nothing of the next.
    .filter((task) => !goesBefore(input, task));
  // A lone object is refused before anything has changed anyway, but for the namespace that was made for it.
  if (testable.length < (plan.tasks.some(isNamespaceCreation) ? 1 : 2)) return undefined;
  const tries: SyncAction[] = testable.map((task) => ({ act: "apply", task, dryRun: true }));
  return { kind: "act", groups: [tries], state, message: "dry run", delayMs: 0 };
}

function isNamespaceCreation(task: SyncTask): task is ApplyTask {
  return task.act === "apply" && task.createsNamespace === true;
}

/** Waits for what runs, else starts the next wave, else is done. */
export function waveStep(input: StepInput, release: readonly SyncAction[]): SyncStep {
  const { plan, state } = input;
  const results = new Map(state.results.map((result) => [resultId(result), result]));
  const pending = plan.tasks.filter(({ id, phase }) => phase !== "SyncFail" && !results.has(id));
  const obstacle = findObstacle(input, results, pending.length > 0);
  if (obstacle !== undefined) return waitOrRelease(state, obstacle, release);
  const [next] = pending;
  if (next === undefined) return finish(input, release);
  const wave = pending.filter(({ phase, wave }) => phase === next.phase && wave === next.wave);
  return runWave({ ...input, wave, isLast: wave.length === pending.length }, release);
}

function waitOrRelease(state: SyncState, message: string, release: readonly SyncAction[]): SyncStep {
  if (release.length === 0) return { kind: "wait", state, message };
  return { kind: "act", groups: [[...release]], state, message, delayMs: 0 };
}

/** Each wave waits for the health of the one before; hooks are always waited for. */
function findObstacle(
  { plan, liveOf }: StepInput,
  results: ReadonlyMap<string, ResourceResult>,
  hasPending: boolean,
): string | undefined {
  const unwatched = new Set(unwatchedTasks(plan));
  const running = plan.tasks.filter(
    (task) => results.get(task.id)?.hookPhase === "Running" && !unwatched.has(task),
  );
  const hooks = running.filter((task) => task.act === "apply" && task.hook !== undefined);
  if (hooks.length > 0) return describeWait("completion of hook", hooks);
  if (running.length > 0) return describeWait("healthy state of", running);
  if (!hasPending) return undefined;
  const leaving = plan.tasks.filter(
    ({ act, id, key, live }) =>
      act === "prune" &&
      results.has(id) &&
      liveOf(key)?.metadata.uid === live?.metadata.uid &&
      liveOf(key) !== undefined,
  );
  return leaving.length > 0 ? describeWait("deletion of", leaving) : undefined;
}

function describeWait(what: string, [first, ...more]: readonly SyncTask[]): string {
  const name = first === undefined ? "" : formatKey(first.key);
  return `waiting for ${what} ${name}${more.length > 0 ? ` and ${more.length} more` : ""}`;
}

interface WaveInput extends StepInput {
  wave: readonly SyncTask[];
  isLast: boolean;
}

function runWave(input: WaveInput, release: readonly SyncAction[]): SyncStep {
  const { wave, state } = input;
  const unconfirmed = wave.filter((task) => task.act === "prune").filter((task) => task.needsConfirmation);
  if (unconfirmed.length > 0) {
    const message = `waiting for pruning confirmation of ${unconfirmed.map(({ key }) => formatKey(key)).join(", ")}`;
    return waitOrRelease(state, message, release);
  }
  const removal = removePrevious(input, wave, release);
  if (removal !== undefined) return removal;
  let next = state;
  for (const task of wave) {
    if (task.act !== "skip-prune") continue;
    next = withResult(
      next,
      resultFor(task, { status: "PruneSkipped", phase: "Succeeded", message: task.because }),
    );
  }
  const groups = [[...release], prunes(wave), ...applyGroups(wave)].filter((group) => group.length > 0);
  // Nothing but skipped prunes: the controller records the state and asks again at once.
  const delayMs = input.isLast || groups.length === 0 ? 0 : input.waveDelayMs;
  return { kind: "act", groups, state: next, message: waveMessage(wave), delayMs };
}

function waveMessage(wave: readonly SyncTask[]): string {
  const [first] = wave;
  return first === undefined ? "" : `running ${first.phase}, wave ${first.wave}`;
}

/**
 * Hooks of an earlier run that have to go before the tasks can be applied: one that is still being deleted would take
 * no new finalizer. Undefined when none is left.
 */
export function removePrevious(
  { state, liveOf }: StepInput,
  tasks: readonly SyncTask[],
  release: readonly SyncAction[],
): SyncStep | undefined {
  const old = tasks.filter((task) => task.act === "apply").filter((task) => goesBefore({ liveOf }, task));
  if (old.length === 0) return undefined;
  const isUnderWay = ({ metadata }: Manifest): boolean =>
    metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(finalizers.hook) !== true;
  const standing = old.filter(({ key }) => {
    const live = liveOf(key);
    return live !== undefined && !isUnderWay(live);
  });
  const deletions = deletionsOf(standing, liveOf);
  const step = waitOrRelease(state, describeWait("deletion of hook", old), [...release, ...deletions]);
  return step.kind === "wait" ? { ...step, isUntold: true } : step;
}

/** Whether a hook of an earlier run stands where this one is to be made, and has to go first. */
export function goesBefore({ liveOf }: Pick<StepInput, "liveOf">, { hook, key, target }: ApplyTask): boolean {
  const live = hook === undefined ? undefined : liveOf(key);
  if (live === undefined) return false;
  const isLeaving = live.metadata.deletionTimestamp !== undefined;
  return (
    isLeaving || (hook?.deletePolicies.includes("BeforeHookCreation") === true && !isOfOthers(live, target))
  );
}

/**
 * Made after the second in which the operation began, by nobody's sync: a ServiceAccount `default`, say, that the
 * cluster makes again as often as it is deleted. It is applied over, where deleting it would go on for ever.
 */
function isOfOthers({ metadata }: Manifest, target: Manifest): boolean {
  if (metadata.annotations?.[annotationKeys.hookOf] !== undefined) return false;
  const began = parseTime(target.metadata.annotations?.[annotationKeys.hookOf]?.split("/")[0]);
  const made = parseTime(metadata.creationTimestamp);
  return began !== undefined && made !== undefined && made > began;
}

function prunes(wave: readonly SyncTask[]): SyncAction[] {
  return wave
    .filter((task): task is PruneTask => task.act === "prune")
    .map((task) => ({ act: "prune", task, dryRun: false }));
}

/** Neighbours of one kind go together. */
function applyGroups(wave: readonly SyncTask[]): SyncAction[][] {
  const groups: SyncAction[][] = [];
  let kind: string | undefined;
  for (const task of wave) {
    if (task.act !== "apply") continue;
    const action: SyncAction = { act: "apply", task, dryRun: false };
    const current = groups.at(-1);
    if (current !== undefined && kind === task.key.kind) current.push(action);
    else groups.push([action]);
    kind = task.key.kind;
  }
  return groups;
}

function finish(input: StepInput, release: readonly SyncAction[]): SyncStep {
  const { plan, state, liveOf } = input;
  const passing = hookTasks(plan).filter(
    ({ hook, phase }) => phase !== "SyncFail" && hook?.deletePolicies.includes("HookSucceeded") === true,
  );
  const deletions = deletionsOf(passing, liveOf);
  const isAtOnce = unwatchedTasks(plan).length > 0;
  return {
    kind: "done",
    phase: "Succeeded",
    message: isAtOnce ? "successfully synced (all tasks run)" : "successfully synced (no more tasks)",
    actions: [...release, ...deletions],
    state,
  };
}
