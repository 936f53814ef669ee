import {
  formatKey,
  type HealthStatus,
  type Manifest,
  type ResourceKey,
  type ResourceResult,
} from "@capstan/model";
import type { ApplyTask, SyncPlan, SyncState, SyncTask } from "./sync-plan.ts";

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
  /** The process that began the operation is gone: what it did last may not be in the results. */
  isResumed?: boolean;
}

export function hookTasks({ tasks }: SyncPlan): ApplyTask[] {
  return tasks.filter((task) => task.act === "apply").filter((task) => task.hook !== undefined);
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
