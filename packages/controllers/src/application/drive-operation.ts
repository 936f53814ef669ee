import {
  isRefusedFirst,
  nextStep,
  recordOutcomes,
  type SyncAction,
  type SyncOutcome,
  type SyncState,
} from "@capstan/engine";
import { runLimited, type Step, tellStep, traced } from "@capstan/flow";
import type { TenantCluster } from "@capstan/kube";
import { formatKey, type OperationPhase } from "@capstan/model";
import type { HealthOf } from "@capstan/planning";
import type { OperationMemory } from "./application-memory.ts";
import type { ApplicationRun, LoadedRun } from "./application-run.ts";
import { waveHealth } from "./child-waits.ts";
import { performAction } from "./perform-action.ts";
import { requireCurrent } from "./shard.ts";
import { writeDraft } from "./write-draft.ts";

export type Driven =
  | { kind: "waiting"; reason: string; retryAfterMs: number }
  | { kind: "done"; phase: OperationPhase; message: string };

/** Live events wake a waiting operation; this is for those that never come. */
const waitMs = 30_000;
const untoldWaitMs = 1_000;
const tidyRetryMs = 1_000;

/** Does what the plan says until something has to be waited for. Every result is written before the next act. */
export async function driveOperation(
  loaded: LoadedRun,
  operation: OperationMemory,
  signal: AbortSignal,
): Promise<Driven> {
  const { run, tenant } = loaded;
  const { live } = tenant;
  const restMs = restOfPause(run, operation);
  if (restMs > 0) return { kind: "waiting", reason: "the pause between waves", retryAfterMs: restMs };
  operation.pausedAt = undefined;
  for (;;) {
    const decide = (healthOf: HealthOf) =>
      nextStep({
        plan: operation.plan,
        state: operation.state,
        liveOf: (key) => live.get(key),
        healthOf: waveHealth(loaded, healthOf),
        dryRunFirst: true,
        waveDelayMs: waveDelayMs(run),
        isResumed: run.memory.begunAt !== operation.startedAt,
        terminate: run.draft.status.operationState?.phase === "Terminating",
      });
    const before = operation.state;
    const step = await run.needs.scripts.health.judged(run.key, decide, signal);
    operation.state = step.state;
    draftResults(run, step.state, step.message);
    if (step.kind === "wait")
      return { kind: "waiting", reason: step.message, retryAfterMs: step.isUntold ? untoldWaitMs : waitMs };
    if (step.kind === "done") {
      // What a kill leaves behind knows that the hooks which go now were over.
      if (step.actions.length > 0) await writeDraft(run, signal);
      for (const act of ["release-hook", "delete-hook"] as const) {
        const actions = step.actions.filter((action) => action.act === act);
        await runGroup(run, tenant, { actions, signal });
      }
      return { kind: "done", phase: step.phase, message: step.message };
    }
    if (step.state === before && step.groups.every(({ length }) => length === 0))
      throw new Error(`the sync turns in circles: nothing is to be done (${step.message})`);
    if (step.state.results.length > 0) await writeDraft(run, signal);
    const outcomes: SyncOutcome[] = [];
    for (const actions of step.groups) {
      outcomes.push(...(await runGroup(run, tenant, { actions, signal })));
      if (outcomes.some(isRefusedFirst)) break;
    }
    operation.state = recordOutcomes(step.state, outcomes);
    draftResults(run, operation.state, step.message);
    if (step.delayMs > 0 && outcomes.every(({ ok }) => ok)) {
      operation.pausedAt = run.needs.clock.now();
      return { kind: "waiting", reason: step.message, retryAfterMs: step.delayMs };
    }
    if (outcomes.some(isUntidy)) return { kind: "waiting", reason: step.message, retryAfterMs: tidyRetryMs };
  }
}

function waveDelayMs({ needs }: ApplicationRun): number {
  return needs.settings.current.general.waveDelayMs ?? needs.options.waveDelayMs;
}

/** What happens in the cluster meanwhile does not end a pause; whoever ends the operation does. */
function restOfPause(run: ApplicationRun, { pausedAt }: OperationMemory): number {
  if (pausedAt === undefined || run.draft.status.operationState?.phase === "Terminating") return 0;
  return pausedAt + waveDelayMs(run) - run.needs.clock.now();
}

/** A hook that could not be removed: trying at once again would turn in circles. */
function isUntidy({ action, ok }: SyncOutcome): boolean {
  return !ok && (action.act === "delete-hook" || action.act === "release-hook");
}

interface Group {
  actions: readonly SyncAction[];
  signal: AbortSignal;
}

async function runGroup(
  run: ApplicationRun,
  cluster: TenantCluster,
  { actions, signal }: Group,
): Promise<SyncOutcome[]> {
  const { needs, app, key } = run;
  const perform = async (action: SyncAction): Promise<SyncOutcome> => {
    requireCurrent(needs.shard, signal);
    const outcome = await traced(stepOf(action), async () => {
      const done = await performAction({ cluster, clock: needs.clock }, action, signal);
      tellStep({ outcome: done.message }, done.ok ? undefined : done.message);
      return done;
    });
    needs.metrics.applied(app, outcome);
    if (isUntidy(outcome)) needs.log.warn({ app: key, problem: outcome.message }, "a hook was not removed");
    return outcome;
  };
  return runLimited(actions, needs.options.parallelActs, perform);
}

/** What is done to which object. */
function stepOf(action: SyncAction): Step {
  const isOfTask = action.act === "apply" || action.act === "prune";
  const facts = isOfTask
    ? { dryRun: action.dryRun, object: formatKey(action.task.key) }
    : { object: formatKey(action.key) };
  return { name: action.act, facts };
}

function draftResults(run: ApplicationRun, { results }: SyncState, message: string): void {
  const state = run.draft.status.operationState;
  if (!state) return;
  run.draft.status.operationState = {
    ...state,
    message,
    ...(state.syncResult
      ? { syncResult: { ...state.syncResult, ...(results.length > 0 ? { resources: results } : {}) } }
      : {}),
  };
}
