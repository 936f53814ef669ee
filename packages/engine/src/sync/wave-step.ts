import { formatKey, type ResourceResult } from "@capstan/model";
import { firstChange } from "./initial-dry-run.ts";
import { resultFor, withResult } from "./record-outcomes.ts";
import { removePrevious } from "./remove-previous.ts";
import { deletionsOf, hookTasks, type StepInput, unwatchedTasks } from "./step-input.ts";
import type { ApplyTask, PruneTask, SyncAction, SyncStep, SyncTask } from "./sync-plan.ts";
import { resultId } from "./task-id.ts";
import { describeWait, waitOrRelease } from "./waiting.ts";

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
  const groups = [[...release], prunes(wave), ...applyGroups(wave, firstChange(input))].filter(
    (group) => group.length > 0,
  );
  // Nothing but skipped prunes: the controller records the state and asks again at once.
  const delayMs = input.isLast || groups.length === 0 ? 0 : input.waveDelayMs;
  return { kind: "act", groups, state: next, message: waveMessage(wave), delayMs };
}

function waveMessage(wave: readonly SyncTask[]): string {
  const [first] = wave;
  return first === undefined ? "" : `running ${first.phase}, wave ${first.wave}`;
}

function prunes(wave: readonly SyncTask[]): SyncAction[] {
  return wave
    .filter((task): task is PruneTask => task.act === "prune")
    .map((task) => ({ act: "prune", task, dryRun: false }));
}

/** Neighbours of one kind go together; the first change of all goes alone. */
function applyGroups(wave: readonly SyncTask[], first: ApplyTask | undefined): SyncAction[][] {
  const groups: SyncAction[][] = first ? [[{ act: "apply", task: first, dryRun: false, isFirst: true }]] : [];
  let kind: string | undefined;
  for (const task of wave) {
    if (task.act !== "apply" || task === first) continue;
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
