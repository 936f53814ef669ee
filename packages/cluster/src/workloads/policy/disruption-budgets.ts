import type { KubeObject } from "../../types.ts";
import { resolve } from "../apps/deployment-sizes.ts";
import { withCondition } from "../conditions.ts";
import { type Context, type Controller, lookUp, ownChanges, timestamp } from "../controller.ts";
import {
  type Deployment,
  isReplicaSet,
  type Pod,
  type ReplicaSet,
  type ReplicationController,
  type StatefulSet,
} from "../kinds.ts";
import { controllerOf } from "../owners.ts";
import { isActive, isReady } from "../pod-readiness.ts";
import { resourceTypes } from "../resource-types.ts";
import { SelectorIndex } from "../selector-index.ts";
import { writeStatus } from "../write-status.ts";
import type { PodDisruptionBudget } from "./kinds.ts";

/** How many Pods a PodDisruptionBudget lets go, as pkg/controller/disruption counts. */
export function disruptionBudgets(context: Context): Controller {
  const { objects } = context;
  const type = resourceTypes.podDisruptionBudgets;
  const budgets = new SelectorIndex({
    objects,
    type,
    selectorOf: (budget) => (isBudget(budget) ? budget.spec.selector : undefined),
  });
  return {
    name: "disruption-controller",
    watches: [
      ownChanges(type),
      {
        type: resourceTypes.pods,
        keysOf: ({ metadata }) => budgets.selecting(metadata.namespace ?? "", metadata.labels),
      },
    ],
    async reconcile(key) {
      const budget = lookUp<PodDisruptionBudget>(objects, type, key);
      if (budget) await tell(context, budget);
      return undefined;
    },
  };
}

function isBudget(object: KubeObject): object is PodDisruptionBudget {
  return object.kind === "PodDisruptionBudget" && typeof object.spec === "object";
}

async function tell(context: Context, budget: PodDisruptionBudget): Promise<void> {
  const { objects, clock, podLabels } = context;
  const selector = budget.spec.selector ?? {};
  const pods = podLabels.select<Pod>(budget.metadata.namespace ?? "", selector).filter(isActive);
  const expected = expectedPods(context, budget, pods);
  const desired = desiredHealthy(budget, expected, pods.length);
  const healthy = pods.filter(isReady).length;
  const allowed = expected > 0 ? Math.max(healthy - desired, 0) : 0;
  const condition =
    allowed > 0
      ? { type: "DisruptionAllowed", status: "True", reason: "SufficientPods" }
      : { type: "DisruptionAllowed", status: "False", reason: "InsufficientPods" };
  const { generation } = budget.metadata;
  const observed = {
    ...condition,
    message: "",
    ...(generation !== undefined && { observedGeneration: generation }),
  };
  const status = {
    ...budget.status,
    ...(generation !== undefined && { observedGeneration: generation }),
    currentHealthy: healthy,
    desiredHealthy: desired,
    disruptionsAllowed: allowed,
    expectedPods: expected,
    conditions: withCondition(budget.status?.conditions, observed, timestamp(clock.now())),
  };
  await writeStatus<PodDisruptionBudget>(objects, resourceTypes.podDisruptionBudgets, {
    object: budget,
    status,
  });
}

function desiredHealthy({ spec }: PodDisruptionBudget, expected: number, present: number): number {
  if (spec.maxUnavailable !== undefined)
    return Math.max(expected - resolve(spec.maxUnavailable, expected, Math.ceil), 0);
  const { minAvailable = 0 } = spec;
  return typeof minAvailable === "number"
    ? minAvailable
    : resolve(minAvailable, expected || present, Math.ceil);
}

/** A number of Pods asked for needs no scale; a share of them does, and so does maxUnavailable. */
function expectedPods(context: Context, { spec }: PodDisruptionBudget, pods: readonly Pod[]): number {
  if (spec.maxUnavailable === undefined && typeof spec.minAvailable === "number") return pods.length;
  const scales = new Map<string, number>();
  for (const pod of pods) {
    const scale = scaleOf(context, pod);
    if (scale) scales.set(scale.uid, scale.replicas);
  }
  return [...scales.values()].reduce((total, replicas) => total + replicas, 0);
}

function scaleOf({ objects }: Context, pod: Pod): { uid: string; replicas: number } | undefined {
  const owner = controllerOf(pod);
  if (!owner) return undefined;
  const namespace = pod.metadata.namespace ?? "";
  const found = find(owner.kind, owner.name);
  const above = found && isReplicaSet(found) ? controllerOf(found) : undefined;
  const scaled =
    above?.kind === "Deployment"
      ? objects.get<Deployment>(resourceTypes.deployments, namespace, above.name)
      : found;
  return scaled && { uid: scaled.metadata.uid ?? "", replicas: scaled.spec.replicas ?? 1 };

  function find(kind: string, name: string): ReplicaSet | StatefulSet | ReplicationController | undefined {
    if (kind === "ReplicaSet") return objects.get<ReplicaSet>(resourceTypes.replicaSets, namespace, name);
    if (kind === "StatefulSet") return objects.get<StatefulSet>(resourceTypes.statefulSets, namespace, name);
    if (kind !== "ReplicationController") return undefined;
    return objects.get<ReplicationController>(resourceTypes.replicationControllers, namespace, name);
  }
}
