import { findCondition, withCondition, withoutCondition } from "../conditions.ts";
import { timestamp } from "../controller.ts";
import type { Condition, Deployment, DeploymentStatus } from "../kinds.ts";
import { unlessZero } from "../write-status.ts";
import type { DeploymentSets } from "./deployment-sets.ts";
import {
  allSets,
  availableOf,
  maxUnavailable,
  sizeOf,
  sum,
  terminatingOf,
  wantedReplicas,
} from "./deployment-sizes.ts";

export interface Progress {
  deployment: Deployment;
  sets: DeploymentSets;
  nowMs: number;
  /** Only a rollout is judged; a scaling or paused Deployment is not. */
  isRollingOut: boolean;
  /** The new set was made in this very look. */
  created?: string;
  /** Why it could not be made. */
  failure?: string;
  collisionCount?: number;
}

const deadlineReason = "ProgressDeadlineExceeded";
const doneReason = "NewReplicaSetAvailable";

/** As pkg/controller/deployment calculateStatus and syncRolloutStatus. */
export function deploymentStatus(progress: Progress): DeploymentStatus {
  const { deployment, sets, nowMs } = progress;
  const all = allSets(sets);
  const available = sum(all, availableOf);
  const replicas = sum(all, (set) => set.status?.replicas ?? 0);
  const collisionCount = progress.collisionCount ?? deployment.status?.collisionCount;
  const counts: DeploymentStatus = {
    ...(deployment.metadata.generation !== undefined && {
      observedGeneration: deployment.metadata.generation,
    }),
    ...(collisionCount !== undefined && { collisionCount }),
    ...terminatingOf(all),
    ...positive({
      replicas,
      updatedReplicas: sets.newSet?.status?.replicas ?? 0,
      readyReplicas: sum(all, (set) => set.status?.readyReplicas ?? 0),
      availableReplicas: available,
      unavailableReplicas: Math.max(sum(all, sizeOf) - available, 0),
    }),
  };
  const isAvailable = available >= wantedReplicas(deployment) - maxUnavailable(deployment);
  let conditions = put(deployment.status?.conditions, availability(isAvailable), timestamp(nowMs));
  if (deployment.spec.progressDeadlineSeconds === undefined)
    conditions = withoutCondition(conditions, "Progressing");
  else conditions = progressing(progress, counts, conditions);
  return { ...counts, conditions: replicaFailure(sets, conditions) };
}

/** When a stuck rollout passes its deadline, in ms. */
export function deadlineInMs(
  deployment: Deployment,
  status: DeploymentStatus,
  nowMs: number,
): number | undefined {
  const known = findCondition(status.conditions, "Progressing");
  const { progressDeadlineSeconds } = deployment.spec;
  if (!known || progressDeadlineSeconds === undefined || deployment.spec.paused) return undefined;
  if (isComplete(deployment, status) || known.reason === deadlineReason) return undefined;
  const at = Date.parse(known.lastUpdateTime ?? "") + (progressDeadlineSeconds + 1) * 1_000;
  return Math.max(at - nowMs, 1_000);
}

export function isComplete(deployment: Deployment, status: DeploymentStatus | undefined): boolean {
  const replicas = wantedReplicas(deployment);
  return (
    (status?.updatedReplicas ?? 0) === replicas &&
    (status?.replicas ?? 0) === replicas &&
    (status?.availableReplicas ?? 0) === replicas &&
    (status?.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

function availability(isAvailable: boolean): Condition {
  return isAvailable
    ? {
        type: "Available",
        status: "True",
        reason: "MinimumReplicasAvailable",
        message: "Deployment has minimum availability.",
      }
    : {
        type: "Available",
        status: "False",
        reason: "MinimumReplicasUnavailable",
        message: "Deployment does not have minimum availability.",
      };
}

/** SetDeploymentCondition: the same status and reason again is no change; lastUpdateTime tells of one. */
function put(
  conditions: readonly Condition[] | undefined,
  condition: Condition,
  now: string,
): readonly Condition[] {
  const known = findCondition(conditions, condition.type);
  if (known?.status === condition.status && known.reason === condition.reason) return conditions ?? [];
  return withCondition(conditions, { ...condition, lastUpdateTime: now }, now);
}

function progressing(
  progress: Progress,
  counts: DeploymentStatus,
  conditions: readonly Condition[],
): readonly Condition[] {
  const { deployment, sets, nowMs } = progress;
  const now = timestamp(nowMs);
  const say = (status: string, reason: string, message: string) =>
    put(conditions, { type: "Progressing", status, reason, message }, now);
  const known = findCondition(conditions, "Progressing");
  const { paused } = deployment.spec;
  if (paused && known?.reason !== deadlineReason)
    return say("Unknown", "DeploymentPaused", "Deployment is paused");
  if (!paused && known?.reason === "DeploymentPaused")
    return say("Unknown", "DeploymentResumed", "Deployment is resumed");
  if (progress.failure !== undefined) return say("False", "ReplicaSetCreateError", progress.failure);
  if (progress.created !== undefined)
    return say("True", "NewReplicaSetCreated", `Created new replica set "${progress.created}"`);
  if (!known && sets.newSet)
    return say("True", "FoundNewReplicaSet", `Found new replica set "${sets.newSet.metadata.name}"`);
  if (!progress.isRollingOut) return conditions;
  if ((counts.replicas ?? 0) === (counts.updatedReplicas ?? 0) && known?.reason === doneReason)
    return conditions;
  const subject = sets.newSet
    ? `ReplicaSet "${sets.newSet.metadata.name}"`
    : `Deployment "${deployment.metadata.name}"`;
  if (isComplete(deployment, counts))
    return say("True", doneReason, `${subject} has successfully progressed.`);
  if (hasProgressed(deployment.status ?? {}, counts)) {
    const condition = {
      type: "Progressing",
      status: "True",
      reason: "ReplicaSetUpdated",
      message: `${subject} is progressing.`,
    };
    return withCondition(conditions, { ...condition, lastUpdateTime: now }, now);
  }
  if (!isTimedOut(deployment, known, nowMs)) return conditions;
  return say("False", deadlineReason, `${subject} has timed out progressing.`);
}

function hasProgressed(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const old = (status: DeploymentStatus) => (status.replicas ?? 0) - (status.updatedReplicas ?? 0);
  return (
    (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(after) < old(before) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

function isTimedOut(deployment: Deployment, known: Condition | undefined, nowMs: number): boolean {
  if (!known || known.reason === doneReason) return false;
  if (known.reason === deadlineReason) return true;
  const deadlineMs = (deployment.spec.progressDeadlineSeconds ?? 600) * 1_000;
  return Date.parse(known.lastUpdateTime ?? "") + deadlineMs < nowMs;
}

function replicaFailure(
  { newSet, oldSets }: DeploymentSets,
  conditions: readonly Condition[],
): readonly Condition[] {
  const sets = newSet ? [newSet, ...oldSets] : oldSets;
  const failures = sets.flatMap((set) => findCondition(set.status?.conditions, "ReplicaFailure") ?? []);
  const [failure] = failures;
  if (!failure) return withoutCondition(conditions, "ReplicaFailure");
  const since = failure.lastTransitionTime ?? "";
  return put(conditions, failure, since);
}

function positive(counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => unlessZero(count) !== undefined));
}
