import { dependents } from "../claim-dependents.ts";
import type { Context } from "../controller.ts";
import { type Deployment, isPod, type ReplicaSet } from "../kinds.ts";
import { byAge } from "../owners.ts";
import { isEnded } from "../pod-readiness.ts";
import { any, resize } from "./deployment-scale.ts";
import type { DeploymentSets } from "./deployment-sets.ts";
import {
  allSets,
  availableOf,
  maxUnavailable,
  newSetSize,
  sizeOf,
  sum,
  wantedReplicas,
} from "./deployment-sizes.ts";

/** One step of a rolling update; whether there was one to take. As pkg/controller/deployment/rolling.go. */
export async function rollOn(
  context: Context,
  deployment: Deployment,
  sets: DeploymentSets,
): Promise<boolean> {
  const { newSet } = sets;
  if (!newSet) return false;
  const replicas = wantedReplicas(deployment);
  if (sizeOf(newSet) !== replicas) {
    const size = sizeOf(newSet) > replicas ? replicas : newSetSize(deployment, sets);
    if (await resize(context, deployment, { set: newSet, size })) return true;
  }
  return shrinkOld(context, deployment, { ...sets, newSet });
}

async function shrinkOld(
  context: Context,
  deployment: Deployment,
  sets: DeploymentSets & { newSet: ReplicaSet },
): Promise<boolean> {
  const active = sets.oldSets.filter((set) => sizeOf(set) > 0).sort(byAge);
  if (active.length === 0) return false;
  const minAvailable = wantedReplicas(deployment) - maxUnavailable(deployment);
  const newUnavailable = sizeOf(sets.newSet) - availableOf(sets.newSet);
  const most = sum(allSets(sets), sizeOf) - minAvailable - newUnavailable;
  if (most <= 0) return false;
  const sizes = new Map(active.map((set) => [set, sizeOf(set)]));
  // What never became available costs nothing to lose.
  take(sizes, most, (set) => sizeOf(set) - Math.min(availableOf(set), sizeOf(set)));
  const spare = sum(allSets(sets), availableOf) - minAvailable;
  take(sizes, spare, (set) => sizes.get(set) ?? 0);
  return any(active, async (set) => {
    const size = sizes.get(set) ?? sizeOf(set);
    return size !== sizeOf(set) && (await resize(context, deployment, { set, size }));
  });
}

function take(sizes: Map<ReplicaSet, number>, most: number, from: (set: ReplicaSet) => number): void {
  let left = Math.max(most, 0);
  for (const [set, size] of sizes) {
    const taken = Math.min(left, from(set), size);
    sizes.set(set, size - taken);
    left -= taken;
  }
}

/** Old Pods go, all of them, before new ones come. Answers whether the new set may be there yet. */
export async function emptyOld(
  context: Context,
  deployment: Deployment,
  sets: DeploymentSets,
): Promise<"acted" | "waiting" | "empty"> {
  const acted = await any(
    sets.oldSets,
    async (set) => sizeOf(set) > 0 && (await resize(context, deployment, { set, size: 0 })),
  );
  if (acted) return "acted";
  const left = sets.oldSets.some(
    (set) =>
      (set.status?.replicas ?? 0) > 0 || dependents(context.objects, set, isPod).some((pod) => !isEnded(pod)),
  );
  return left ? "waiting" : "empty";
}
