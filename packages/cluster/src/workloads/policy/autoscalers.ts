import type { KubeObject } from "../../types.ts";
import { withCondition } from "../conditions.ts";
import { type Context, type Controller, keyOf, lookUp, timestamp } from "../controller.ts";
import type { Condition } from "../kinds.ts";
import { resourceTypes } from "../resource-types.ts";
import { nothingRuns } from "../simulation.ts";
import { writeStatus } from "../write-status.ts";
import type { HorizontalPodAutoscaler, Scalable } from "./kinds.ts";

const component = "horizontal-pod-autoscaler";

const scalable: ReadonlyMap<string, string> = new Map([
  ["Deployment", resourceTypes.deployments],
  ["ReplicaSet", resourceTypes.replicaSets],
  ["StatefulSet", resourceTypes.statefulSets],
  ["ReplicationController", resourceTypes.replicationControllers],
]);

/** There are no metrics, so the size stays, but within minReplicas and maxReplicas. */
export function autoscalers(context: Context): Controller {
  const { objects } = context;
  const targets = new Map<string, Set<string>>();
  return {
    name: component,
    watches: [
      {
        type: resourceTypes.horizontalPodAutoscalers,
        keysOf(autoscaler) {
          if (isAutoscaler(autoscaler)) file(targets, autoscaler);
          return [keyOf(autoscaler)];
        },
      },
      ...[...scalable].map(([kind, type]) => ({
        type,
        keysOf: (target: KubeObject) => targets.get(`${kind} ${keyOf(target)}`) ?? [],
      })),
    ],
    async reconcile(key) {
      const autoscaler = lookUp<HorizontalPodAutoscaler>(
        objects,
        resourceTypes.horizontalPodAutoscalers,
        key,
      );
      if (autoscaler) await scale(context, autoscaler);
      return undefined;
    },
  };
}

function isAutoscaler(object: KubeObject): object is HorizontalPodAutoscaler {
  return object.kind === "HorizontalPodAutoscaler" && typeof object.spec === "object";
}

/** One that has gone or aims elsewhere now is asked in vain, which costs a look. */
function file(targets: Map<string, Set<string>>, { metadata, spec }: HorizontalPodAutoscaler): void {
  const { kind, name } = spec.scaleTargetRef;
  const target = `${kind} ${metadata.namespace}/${name}`;
  const keys = targets.get(target) ?? new Set();
  targets.set(target, keys.add(`${metadata.namespace}/${metadata.name}`));
}

async function scale(context: Context, autoscaler: HorizontalPodAutoscaler): Promise<void> {
  const { objects, clock, events } = context;
  const { kind, name } = autoscaler.spec.scaleTargetRef;
  const type = scalable.get(kind);
  const target =
    type === undefined ? undefined : objects.get<Scalable>(type, autoscaler.metadata.namespace ?? "", name);
  const { minReplicas = 1, maxReplicas } = autoscaler.spec;
  const current = target?.spec.replicas ?? 1;
  const isEnabled = target !== undefined && current > 0;
  const wanted = isEnabled ? Math.min(Math.max(current, minReplicas), maxReplicas) : 0;
  const isRescaled = type !== undefined && isEnabled && wanted !== current;
  if (isRescaled) {
    await objects.update<Scalable>(type, { ...target, spec: { ...target.spec, replicas: wanted } });
    const bound =
      wanted > current
        ? "Current number of replicas below Spec.MinReplicas"
        : "Current number of replicas above Spec.MaxReplicas";
    events.record(autoscaler, {
      type: "Normal",
      reason: "SuccessfulRescale",
      message: `New size: ${wanted}; reason: ${bound}`,
      component,
    });
  }
  const now = timestamp(clock.now());
  let conditions: readonly Condition[] = autoscaler.status?.conditions ?? [];
  for (const condition of conditionsOf({ kind, name, hasTarget: target !== undefined, isEnabled })) {
    conditions = withCondition(conditions, condition, now);
  }
  const status = {
    ...autoscaler.status,
    ...(autoscaler.metadata.generation !== undefined && {
      observedGeneration: autoscaler.metadata.generation,
    }),
    currentReplicas: target?.status?.replicas ?? 0,
    desiredReplicas: wanted,
    ...(isRescaled && { lastScaleTime: now }),
    conditions,
  };
  await writeStatus<HorizontalPodAutoscaler>(objects, resourceTypes.horizontalPodAutoscalers, {
    object: autoscaler,
    status,
  });
}

interface Facts {
  kind: string;
  name: string;
  hasTarget: boolean;
  isEnabled: boolean;
}

/** Types and reasons of pkg/controller/podautoscaler, those that count as Healthy in Argo CD where nothing is wrong. */
function conditionsOf({ kind, name, hasTarget, isEnabled }: Facts): Condition[] {
  if (!hasTarget) {
    const message = `the HPA controller was unable to get the target's current scale: ${resourceOf(kind)} "${name}" not found`;
    return [{ type: "AbleToScale", status: "False", reason: "FailedGetScale", message }];
  }
  const able = {
    type: "AbleToScale",
    status: "True",
    reason: "ReadyForNewScale",
    message: "recommended size matches current size",
  };
  if (!isEnabled) {
    const message = "scaling is disabled since the replica count of the target is zero";
    return [able, { type: "ScalingActive", status: "False", reason: "ScalingDisabled", message }];
  }
  return [
    able,
    {
      type: "ScalingActive",
      status: "True",
      reason: "ValidMetricFound",
      message: `no metrics are read (${nothingRuns}): the size stays within its bounds`,
    },
    {
      type: "ScalingLimited",
      status: "False",
      reason: "DesiredWithinRange",
      message: "the desired count is within the acceptable range",
    },
  ];
}

/** "deployments.apps", as the message of a missing object names it. */
function resourceOf(kind: string): string {
  const [group = "", resource = kind] = scalable.get(kind)?.split("/") ?? [];
  return group === "" ? resource : `${resource}.${group}`;
}
