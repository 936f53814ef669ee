import type { Deployment, IntOrString, ReplicaSet } from "../kinds.ts";
import type { DeploymentSets } from "./deployment-sets.ts";

export function allSets({ newSet, oldSets }: DeploymentSets): readonly ReplicaSet[] {
  return newSet ? [...oldSets, newSet] : oldSets;
}

export function isRolling(deployment: Deployment): boolean {
  return (deployment.spec.strategy?.type ?? "RollingUpdate") === "RollingUpdate";
}

export function wantedReplicas(deployment: Deployment): number {
  return deployment.spec.replicas ?? 1;
}

export function sizeOf(set: ReplicaSet): number {
  return set.spec.replicas ?? 1;
}

export function sum(sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number): number {
  return sets.reduce((total, set) => total + count(set), 0);
}

export function availableOf(set: ReplicaSet): number {
  return set.status?.availableReplicas ?? 0;
}

/** As pkg/controller/deployment/util GetTerminatingReplicaCountForReplicaSets: not told before all sets have counted. */
export function terminatingOf(sets: readonly ReplicaSet[]): { terminatingReplicas?: number } {
  if (sets.some((set) => set.status?.terminatingReplicas === undefined)) return {};
  return { terminatingReplicas: sum(sets, (set) => set.status?.terminatingReplicas ?? 0) };
}

/** As pkg/controller/deployment/util ResolveFenceposts: never both zero. */
function fenceposts(deployment: Deployment): { surge: number; unavailable: number } {
  const replicas = wantedReplicas(deployment);
  const { maxSurge: askedSurge, maxUnavailable: askedUnavailable } =
    deployment.spec.strategy?.rollingUpdate ?? {};
  const surge = resolve(askedSurge ?? "25%", replicas, Math.ceil);
  const unavailable = resolve(askedUnavailable ?? "25%", replicas, Math.floor);
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

export function resolve(value: IntOrString, total: number, round: (value: number) => number): number {
  if (typeof value === "number") return value;
  if (value.endsWith("%")) return round((Number(value.slice(0, -1)) * total) / 100) || 0;
  return Number(value) || 0;
}

export function maxSurge(deployment: Deployment): number {
  return isRolling(deployment) ? fenceposts(deployment).surge : 0;
}

export function maxUnavailable(deployment: Deployment): number {
  const replicas = wantedReplicas(deployment);
  if (!isRolling(deployment) || replicas === 0) return 0;
  return Math.min(fenceposts(deployment).unavailable, replicas);
}

/** How large the new set may be now, as NewRSNewReplicas. */
export function newSetSize(deployment: Deployment, sets: DeploymentSets): number {
  const replicas = wantedReplicas(deployment);
  if (!isRolling(deployment)) return replicas;
  const size = sets.newSet ? sizeOf(sets.newSet) : 0;
  const room = replicas + maxSurge(deployment) - sum(allSets(sets), sizeOf);
  return room <= 0 ? size : size + Math.min(room, replicas - size);
}
