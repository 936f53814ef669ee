import type { ApplicationCondition } from "./application/status.ts";

export const applicationConditionTypes = [
  "DeletionError",
  "InvalidSpecError",
  "ComparisonError",
  "SyncError",
  "UnknownError",
  "SharedResourceWarning",
  "RepeatedResourceWarning",
  "ExcludedResourceWarning",
  "OrphanedResourceWarning",
  // Capstan's own: objects that the cluster does not let be listed.
  "UnreadableResourceWarning",
  // Capstan's own: more would be pruned than one sync may.
  "PruneHeldWarning",
  // Capstan's own: a tag or a chart's version means something else than when it was deployed.
  "RevisionMovedWarning",
  // Capstan's own: the sync waits for other applications.
  "DependencyWarning",
  // Capstan's own: what is set and not honoured; of the second kind is what would be unsafe to ignore.
  "NotHonoured",
  "NotHonouredError",
] as const;
export type ApplicationConditionType = (typeof applicationConditionTypes)[number];

/** Kubernetes' own condition, as the status of built-in kinds carries it. */
export interface Condition {
  type: string;
  status: "True" | "False" | "Unknown";
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

const blocking: readonly string[] = ["ComparisonError", "InvalidSpecError", "NotHonouredError"];

/** ComparisonError and InvalidSpecError keep a sync from starting (controller/sync.go), as NotHonouredError does. */
export function blocksSync(condition: { type: string }): boolean {
  return blocking.includes(condition.type);
}

/**
 * Takes new conditions for the types that were evaluated and keeps the others; a condition that says what it
 * said before keeps its time (v1alpha1 SetConditions).
 */
export function mergeConditions(
  old: readonly ApplicationCondition[],
  found: readonly ApplicationCondition[],
  evaluated: ReadonlySet<string>,
): ApplicationCondition[] {
  const kept = old.filter((condition) => !evaluated.has(condition.type));
  const fresh = found.map((condition) => {
    const before = old.find(({ type, message }) => type === condition.type && message === condition.message);
    return before ?? condition;
  });
  return [...kept, ...fresh].sort((left, right) => compareTypes(left.type, right.type));
}

function compareTypes(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
