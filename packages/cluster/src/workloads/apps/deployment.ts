import { ApiError } from "../../types.ts";
import { dependentChanges } from "../adopters.ts";
import { claimDependents, dependents } from "../claim-dependents.ts";
import { type Context, type Controller, lookUp, ownChanges } from "../controller.ts";
import { type Deployment, isReplicaSet } from "../kinds.ts";
import { isDeleting } from "../owners.ts";
import { isNamespaceGoing, textOf } from "../pod-control.ts";
import { resourceTypes } from "../resource-types.ts";
import { writeStatus } from "../write-status.ts";
import { emptyOld, rollOn } from "./deployment-rollout.ts";
import { resize, scaleSets, wasScaled } from "./deployment-scale.ts";
import {
  byRevision,
  createNewSet,
  type DeploymentSets,
  revisionAnnotation,
  revisionOf,
  sortSets,
  syncNewSet,
} from "./deployment-sets.ts";
import { isRolling, sizeOf, wantedReplicas } from "./deployment-sizes.ts";
import { deadlineInMs, deploymentStatus, isComplete, type Progress } from "./deployment-status.ts";

const component = "deployment-controller";

export function deployments(context: Context): Controller {
  return {
    name: component,
    watches: [
      ownChanges(resourceTypes.deployments),
      dependentChanges(context.objects, resourceTypes.replicaSets, {
        type: resourceTypes.deployments,
        kind: "Deployment",
        apiVersion: "apps/v1",
      }),
    ],
    async reconcile(key) {
      const deployment = lookUp<Deployment>(context.objects, resourceTypes.deployments, key);
      if (!deployment) return undefined;
      const { selector } = deployment.spec;
      const claim = { owner: deployment, type: resourceTypes.replicaSets, selector, isKind: isReplicaSet };
      const sets = sortSets(deployment, await claimDependents(context, claim));
      const outcome = isDeleting(deployment) ? {} : await act(context, deployment, sets);
      return tell(context, deployment, outcome);
    },
  };
}

type Outcome = Pick<Progress, "created" | "failure" | "collisionCount"> & {
  error?: unknown;
  isRollingOut?: boolean;
};

/** One step towards what the Deployment asks for. What it changes brings the Deployment back for the next. */
async function act(context: Context, deployment: Deployment, sets: DeploymentSets): Promise<Outcome> {
  if (await syncNewSet(context, deployment, sets)) return {};
  if (deployment.spec.paused || wasScaled(deployment, sets)) {
    await scaleSets(context, deployment, sets);
    if (deployment.spec.paused) await removeHistory(context, deployment, sets);
    return {};
  }
  const outcome = isRolling(deployment)
    ? await roll(context, deployment, sets)
    : await recreate(context, deployment, sets);
  if (isComplete(deployment, deployment.status)) await removeHistory(context, deployment, sets);
  return { isRollingOut: true, ...outcome };
}

async function roll(context: Context, deployment: Deployment, sets: DeploymentSets): Promise<Outcome> {
  if (!sets.newSet) return create(context, deployment, sets);
  await rollOn(context, deployment, sets);
  return {};
}

async function recreate(context: Context, deployment: Deployment, sets: DeploymentSets): Promise<Outcome> {
  if ((await emptyOld(context, deployment, sets)) !== "empty") return {};
  if (!sets.newSet) return create(context, deployment, sets);
  await resize(context, deployment, { set: sets.newSet, size: wantedReplicas(deployment) });
  return {};
}

async function create(context: Context, deployment: Deployment, sets: DeploymentSets): Promise<Outcome> {
  const { events } = context;
  try {
    const created = await createNewSet(context, deployment, sets);
    if ("collision" in created) return { collisionCount: (deployment.status?.collisionCount ?? 0) + 1 };
    const { set } = created;
    const { name = "" } = set.metadata;
    if (sizeOf(set) > 0) {
      const message = `Scaled up replica set ${name} from 0 to ${sizeOf(set)}`;
      events.record(deployment, { type: "Normal", reason: "ScalingReplicaSet", message, component });
    }
    return { created: name };
  } catch (error) {
    if (isNamespaceGoing(error) || (error instanceof ApiError && error.code === 409)) throw error;
    const failure = `Failed to create new replica set: ${textOf(error)}`;
    events.record(deployment, {
      type: "Warning",
      reason: "ReplicaSetCreateError",
      message: failure,
      component,
    });
    return { failure, error };
  }
}

async function tell(context: Context, deployment: Deployment, outcome: Outcome): Promise<number | undefined> {
  const { objects, clock } = context;
  const sets = sortSets(deployment, dependents(objects, deployment, isReplicaSet));
  const current = await tellRevision(context, deployment, sets);
  const nowMs = clock.now();
  const { error, isRollingOut = false, ...facts } = outcome;
  const status = deploymentStatus({ deployment: current, sets, nowMs, isRollingOut, ...facts });
  await writeStatus<Deployment>(objects, resourceTypes.deployments, { object: current, status });
  if (error !== undefined) throw error;
  return deadlineInMs(deployment, status, nowMs);
}

async function tellRevision(
  { objects }: Context,
  deployment: Deployment,
  { newSet }: DeploymentSets,
): Promise<Deployment> {
  const revision = newSet && String(revisionOf(newSet));
  if (revision === undefined || deployment.metadata.annotations?.[revisionAnnotation] === revision)
    return deployment;
  const annotations = { ...deployment.metadata.annotations, [revisionAnnotation]: revision };
  // Through /status, as pkg/controller/deployment syncDeploymentStatus: the other way would count a generation.
  const told = { ...deployment, metadata: { ...deployment.metadata, annotations } };
  return objects.update<Deployment>(resourceTypes.deployments, told, "status");
}

/** Old sets without Pods, beyond spec.revisionHistoryLimit. */
async function removeHistory(
  { objects }: Context,
  deployment: Deployment,
  { oldSets }: DeploymentSets,
): Promise<void> {
  const limit = deployment.spec.revisionHistoryLimit;
  if (limit === undefined) return;
  const kept = oldSets.filter((set) => !isDeleting(set)).sort(byRevision);
  for (const set of kept.slice(0, Math.max(kept.length - limit, 0))) {
    const { namespace = "", name = "", uid = "", generation = 0 } = set.metadata;
    const isEmpty = sizeOf(set) === 0 && (set.status?.replicas ?? 0) === 0;
    if (!isEmpty || generation > (set.status?.observedGeneration ?? 0)) continue;
    await objects.delete(resourceTypes.replicaSets, namespace, name, { uid, propagation: "Background" });
  }
}
