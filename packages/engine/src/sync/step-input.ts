import {
  formatKey,
  type HealthStatus,
  type Manifest,
  type ResourceKey,
  type ResourceResult,
} from "@capstan/model";
import type { ApplyTask, SyncPlan, SyncState } from "./sync-plan.ts";

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
}

export function hookTasks({ tasks }: SyncPlan): ApplyTask[] {
  return tasks.filter((task) => task.act === "apply").filter((task) => task.hook !== undefined);
}

export function dryRunFailure(failed: readonly ResourceResult[]): string {
  const reasons = failed.map((result) => `${formatKey(result)}: ${result.message ?? ""}`);
  return `one or more objects failed to apply (dry run): ${[...new Set(reasons)].join("; ")}`;
}

/** Whether there is more than one wave, so that each waits for the health of the one before. */
export function isMultiStep({ tasks }: SyncPlan): boolean {
  const [first] = tasks;
  return tasks.some(({ phase, wave }) => phase !== first?.phase || wave !== first.wave);
}
