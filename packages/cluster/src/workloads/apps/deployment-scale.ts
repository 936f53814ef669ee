import type { Context } from "../controller.ts";
import type { Deployment, ReplicaSet } from "../kinds.ts";
import { byAge } from "../owners.ts";
import { resourceTypes } from "../resource-types.ts";
import { byRevision, type DeploymentSets, desiredAnnotation, sizeAnnotations } from "./deployment-sets.ts";
import {
  allSets,
  availableOf,
  isRolling,
  maxSurge,
  sizeOf,
  sum,
  wantedReplicas,
} from "./deployment-sizes.ts";

/** Whether the set had to change. */
export async function resize(
  { objects, events }: Context,
  deployment: Deployment,
  { set, size }: { set: ReplicaSet; size: number },
): Promise<boolean> {
  const before = sizeOf(set);
  const annotations = { ...set.metadata.annotations, ...sizeAnnotations(deployment) };
  const isMarked = annotations[desiredAnnotation] === set.metadata.annotations?.[desiredAnnotation];
  if (before === size && isMarked) return false;
  await objects.update<ReplicaSet>(resourceTypes.replicaSets, {
    ...set,
    metadata: { ...set.metadata, annotations },
    spec: { ...set.spec, replicas: size },
  });
  if (before === size) return true;
  const message = `Scaled ${before < size ? "up" : "down"} replica set ${set.metadata.name} from ${before} to ${size}`;
  events.record(deployment, {
    type: "Normal",
    reason: "ScalingReplicaSet",
    message,
    component: "deployment-controller",
  });
  return true;
}

/** Whether spec.replicas changed since the sets were last sized. */
export function wasScaled(deployment: Deployment, sets: DeploymentSets): boolean {
  return allSets(sets).some((set) => {
    const desired = set.metadata.annotations?.[desiredAnnotation];
    return sizeOf(set) > 0 && desired !== undefined && Number(desired) !== wantedReplicas(deployment);
  });
}

/** Scales all active sets in proportion, as pkg/controller/deployment/sync.go scale. */
export async function scaleSets(
  context: Context,
  deployment: Deployment,
  sets: DeploymentSets,
): Promise<boolean> {
  const replicas = wantedReplicas(deployment);
  const active = allSets(sets).filter((set) => sizeOf(set) > 0);
  const only = active.length > 1 ? undefined : (active[0] ?? sets.newSet ?? newest(sets.oldSets));
  if (only) return resize(context, deployment, { set: only, size: replicas });
  if (sets.newSet && isSaturated(deployment, sets.newSet)) {
    const old = sets.oldSets.filter((set) => sizeOf(set) > 0);
    return any(old, (set) => resize(context, deployment, { set, size: 0 }));
  }
  if (!isRolling(deployment)) return false;
  const sizes = proportions(deployment, active);
  return any(active, (set) => resize(context, deployment, { set, size: sizes.get(set) ?? sizeOf(set) }));
}

function newest(sets: readonly ReplicaSet[]): ReplicaSet | undefined {
  return sets.toSorted(byRevision).at(-1);
}

function isSaturated(deployment: Deployment, set: ReplicaSet): boolean {
  const replicas = wantedReplicas(deployment);
  const desired = Number(set.metadata.annotations?.[desiredAnnotation]);
  return sizeOf(set) === replicas && desired === replicas && availableOf(set) === replicas;
}

function proportions(deployment: Deployment, active: readonly ReplicaSet[]): Map<ReplicaSet, number> {
  const replicas = wantedReplicas(deployment);
  const allowed = replicas > 0 ? replicas + maxSurge(deployment) : 0;
  const toAdd = allowed - sum(active, sizeOf);
  const newerFirst = toAdd > 0 ? -1 : 1;
  const ordered = [...active].sort((a, b) => sizeOf(b) - sizeOf(a) || newerFirst * byAge(a, b));
  const sizes = new Map<ReplicaSet, number>();
  let added = 0;
  for (const set of ordered) {
    const share = shareOf(deployment, set, { toAdd, added });
    added += share;
    sizes.set(set, sizeOf(set) + share);
  }
  const [largest] = ordered;
  if (largest) sizes.set(largest, Math.max((sizes.get(largest) ?? 0) + toAdd - added, 0));
  return sizes;
}

function shareOf(
  deployment: Deployment,
  set: ReplicaSet,
  { toAdd, added }: { toAdd: number; added: number },
): number {
  const allowed = toAdd - added;
  if (sizeOf(set) === 0 || toAdd === 0 || allowed === 0) return 0;
  const replicas = wantedReplicas(deployment);
  const most = Number(set.metadata.annotations?.["deployment.kubernetes.io/max-replicas"]) || replicas;
  const share =
    replicas === 0
      ? -sizeOf(set)
      : Math.round((sizeOf(set) * (replicas + maxSurge(deployment))) / most) - sizeOf(set);
  return toAdd > 0 ? Math.min(share, allowed) : Math.max(share, allowed);
}

export async function any<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<boolean>,
): Promise<boolean> {
  let acted = false;
  for (const item of items) acted = (await act(item)) || acted;
  return acted;
}
