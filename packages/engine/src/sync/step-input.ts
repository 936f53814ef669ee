import {
  formatKey,
  type HealthStatus,
  type Manifest,
  type ResourceKey,
  type ResourceResult,
} from "@capstan/model";
import type { ApplyTask, SyncAction, SyncPlan, SyncState, SyncTask } from "./sync-plan.ts";

export interface StepInput {
  plan: SyncPlan;
  state: SyncState;
  /** The newest that is known, answers to our own writes included: a lagging cache would look like a lost object. */
  liveOf: (key: ResourceKey) => Manifest | undefined;
  healthOf: (live: Manifest) => HealthStatus | undefined;
  /** Whether a dry run of everything comes before the first change. */
  dryRunFirst: boolean;
  /** Pause between waves, for controllers to notice what was applied. */
  waveDelayMs: number;
  terminate?: boolean;
  /** Another process began the operation: all that bears its mark is of it. */
  isResumed?: boolean;
}

export function hookTasks({ tasks }: SyncPlan): ApplyTask[] {
  return tasks.filter((task) => task.act === "apply").filter((task) => task.hook !== undefined);
}

/** Of those hooks that are there: each the very object that was seen. */
export function deletionsOf(hooks: readonly ApplyTask[], liveOf: StepInput["liveOf"]): SyncAction[] {
  return hooks.flatMap(({ key, version }): SyncAction[] => {
    const live = liveOf(key);
    return live === undefined ? [] : [{ act: "delete-hook", key, version, uid: live.metadata.uid }];
  });
}

export function dryRunFailure(failed: readonly ResourceResult[]): string {
  const reasons = failed.map((result) => `${formatKey(result)}: ${result.message ?? ""}`);
  return `one or more objects failed to apply (dry run): ${[...new Set(reasons)].join("; ")}`;
}

/**
 * Tasks that are over once they are applied, healthy or not: those of the last wave, unless a hook is among them. What
 * comes after a failure is no wave (gitops-engine pkg/sync/sync_context.go Sync, remainingTasks).
 */
export function unwatchedTasks({ tasks }: SyncPlan): SyncTask[] {
  const last = tasks.findLast(({ phase }) => phase !== "SyncFail");
  const wave = tasks.filter(({ phase, wave }) => phase === last?.phase && wave === last.wave);
  return wave.some((task) => task.act === "apply" && task.hook !== undefined) ? [] : wave;
}
