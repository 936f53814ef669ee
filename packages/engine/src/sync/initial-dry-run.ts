import { goesBefore } from "./remove-previous.ts";
import type { StepInput } from "./step-input.ts";
import type { ApplyTask, SyncAction, SyncStep, SyncTask } from "./sync-plan.ts";
import { resultId } from "./task-id.ts";

/**
 * Before anything changes: the destination namespace for real, since nothing can be tried in one that is missing,
 * then a dry run of the rest (Argo CD: gitops-engine pkg/sync/sync_context.go Sync). What is refused leaves all as it was.
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
  const first = firstChange(input);
  if (state.dryRunFailed) {
    // It would have been its own trial, and now tells what is wrong with it too.
    if (!first || state.firstTried) return undefined;
    return tried([first], { ...state, firstTried: true });
  }
  if (!isUntouched(input)) return undefined;
  const testable = testableTasks(input);
  // A lone object is refused before anything has changed anyway, but for the namespace that was made for it.
  if (testable.length < (plan.tasks.some(isNamespaceCreation) ? 1 : 2)) return undefined;
  return tried(
    testable.filter((task) => task !== first),
    state,
  );
}

function tried(tasks: readonly ApplyTask[], state: StepInput["state"]): SyncStep {
  const actions: SyncAction[] = tasks.map((task) => ({ act: "apply", task, dryRun: true }));
  return { kind: "act", groups: [actions], state, message: "dry run", delayMs: 0 };
}

/**
 * What changes the cluster first, where all else has been tried before and one request decides on it: to try it would
 * tell no more than doing it, for where that is refused nothing has been changed. Undefined where there is no such one:
 * the namespace goes before, or nothing else is to be tried.
 */
export function firstChange(input: StepInput): ApplyTask | undefined {
  const { plan, dryRunFirst } = input;
  if (!dryRunFirst || !isUntouched(input)) return undefined;
  const testable = testableTasks(input);
  if (testable.length < 2 || plan.tasks.some(isNamespaceCreation)) return undefined;
  const pending = plan.tasks.filter(({ phase }) => phase !== "SyncFail");
  const [next] = pending;
  const wave = pending.filter(({ phase, wave }) => phase === next?.phase && wave === next.wave);
  if (wave.some((task) => task.act === "prune" || (task.act === "apply" && goesBefore(input, task))))
    return undefined;
  const first = wave.find((task) => task.act === "apply");
  return first && testable.includes(first) && isDecidedAtOnce(first) ? first : undefined;
}

/** Neither deleted and made anew, nor is its ownership written before. */
function isDecidedAtOnce({ mode, live }: ApplyTask): boolean {
  const migrates = live !== undefined && mode.migrateFrom !== undefined;
  return mode.method === "server-side" && !mode.force && !migrates;
}

/** Nothing was done but that the namespace was made, or something was refused. */
function isUntouched({ plan, state }: StepInput): boolean {
  if (state.dryRunFailed) return true;
  const done = new Set(state.results.map(resultId));
  return plan.tasks.every((task) => isNamespaceCreation(task) || !done.has(task.id));
}

function testableTasks(input: StepInput): ApplyTask[] {
  return (
    input.plan.tasks
      .filter((task) => task.act === "apply")
      .filter((task) => task.createsNamespace !== true && !task.skipDryRun)
      // What is deleted first takes neither other fields nor, while it goes, a finalizer: that tells nothing of the next.
      .filter((task) => !goesBefore(input, task))
  );
}

function isNamespaceCreation(task: SyncTask): task is ApplyTask {
  return task.act === "apply" && task.createsNamespace === true;
}
