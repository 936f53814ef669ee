import { selectsLabels } from "@capstan/formats";
import type { KubeObject } from "../../types.ts";
import { dependentChanges } from "../adopters.ts";
import { claimDependents, dependents } from "../claim-dependents.ts";
import { findCondition, withCondition, withoutCondition } from "../conditions.ts";
import { type Context, type Controller, keyOf, lookUp, ownChanges, timestamp } from "../controller.ts";
import {
  isPod,
  type LabelSelector,
  type Pod,
  type PodTemplate,
  type ReplicaSet,
  type ReplicaStatus,
  type ReplicationController,
} from "../kinds.ts";
import { isDeleting } from "../owners.ts";
import { isNamespaceGoing, newPod, PodControl, slowStart, textOf } from "../pod-control.ts";
import { isActive, isAvailable, isReady, isTerminating, nextAvailableInMs } from "../pod-readiness.ts";
import { resourceTypes } from "../resource-types.ts";
import { unlessZero, writeStatus } from "../write-status.ts";
import { podsToDelete } from "./pods-to-delete.ts";

const burst = 500;

/** What a ReplicaSet and a ReplicationController have in common. */
interface Replicated {
  object: ReplicaSet | ReplicationController;
  selector: LabelSelector;
  template: PodTemplate;
}

interface Flavour {
  name: string;
  type: string;
  kind: string;
  apiVersion: string;
  /** KEP-3973 */
  countsTerminating: boolean;
  lookUp(context: Context, key: string): Replicated | undefined;
}

export function replicaSets(context: Context): Controller {
  return replicating(context, {
    name: "replicaset-controller",
    type: resourceTypes.replicaSets,
    kind: "ReplicaSet",
    apiVersion: "apps/v1",
    countsTerminating: true,
    lookUp({ objects }, key) {
      const object = lookUp<ReplicaSet>(objects, resourceTypes.replicaSets, key);
      return object && { object, selector: object.spec.selector, template: object.spec.template };
    },
  });
}

export function replicationControllers(context: Context): Controller {
  return replicating(context, {
    name: "replication-controller",
    type: resourceTypes.replicationControllers,
    kind: "ReplicationController",
    apiVersion: "v1",
    countsTerminating: false,
    lookUp({ objects }, key) {
      const object = lookUp<ReplicationController>(objects, resourceTypes.replicationControllers, key);
      if (!object?.spec.template) return undefined;
      return {
        object,
        selector: { matchLabels: object.spec.selector ?? {} },
        template: object.spec.template,
      };
    },
  });
}

function replicating(context: Context, flavour: Flavour): Controller {
  const control = new PodControl(context, flavour.name);
  const selectorOf = (owner: KubeObject) => flavour.lookUp(context, keyOf(owner))?.selector;
  return {
    name: flavour.name,
    watches: [
      ownChanges(flavour.type),
      dependentChanges(context.objects, resourceTypes.pods, { ...flavour, selectorOf }),
    ],
    async reconcile(key) {
      const replicated = flavour.lookUp(context, key);
      if (!replicated) return undefined;
      const { object, selector } = replicated;
      const pods = await claimDependents(context, {
        owner: object,
        type: resourceTypes.pods,
        selector,
        isKind: isPod,
      });
      const failure = isDeleting(object)
        ? undefined
        : await scale(control, replicated, pods.filter(isActive));
      const nextMs = await tellStatus(context, flavour, { replicated, failure });
      if (failure !== undefined) throw failure;
      return nextMs;
    },
  };
}

/** Answers what went wrong, for the status to tell before it is tried again. */
async function scale(control: PodControl, { object, template }: Replicated, active: Pod[]): Promise<unknown> {
  const wanted = object.spec.replicas ?? 1;
  try {
    if (active.length < wanted) {
      const prefix = `${object.metadata.name}-`;
      await slowStart(Math.min(wanted - active.length, burst), () =>
        control.create(object, newPod(template, object, { prefix })),
      );
    } else {
      const surplus = podsToDelete(active, Math.min(active.length - wanted, burst));
      await Promise.all(surplus.map((pod) => control.delete(object, pod)));
    }
    return undefined;
  } catch (error) {
    return error;
  }
}

async function tellStatus(
  { objects, clock }: Context,
  flavour: Flavour,
  { replicated, failure }: { replicated: Replicated; failure: unknown },
): Promise<number | undefined> {
  const { object, selector, template } = replicated;
  const nowMs = clock.now();
  const own = dependents(objects, object, isPod).filter((pod) =>
    selectsLabels(selector, pod.metadata.labels),
  );
  const pods = own.filter(isActive);
  const minReadySeconds = object.spec.minReadySeconds ?? 0;
  const templateLabels = { matchLabels: template.metadata?.labels ?? {} };
  const status: ReplicaStatus = {
    ...object.status,
    replicas: pods.length,
  };
  const counts = {
    fullyLabeledReplicas: unlessZero(
      pods.filter((pod) => selectsLabels(templateLabels, pod.metadata.labels)).length,
    ),
    readyReplicas: unlessZero(pods.filter(isReady).length),
    availableReplicas: unlessZero(pods.filter((pod) => isAvailable(pod, minReadySeconds, nowMs)).length),
    ...(flavour.countsTerminating && { terminatingReplicas: own.filter(isTerminating).length }),
    observedGeneration: object.metadata.generation,
    conditions: failureConditions(object, failure, { pods, now: timestamp(nowMs) }),
  };
  await writeStatus<KubeObject>(objects, flavour.type, { object, status: { ...status, ...counts } });
  return nextAvailableInMs(pods, minReadySeconds, nowMs);
}

function failureConditions(
  object: ReplicaSet | ReplicationController,
  failure: unknown,
  { pods, now }: { pods: readonly Pod[]; now: string },
): ReplicaStatus["conditions"] {
  const known = object.status?.conditions;
  if (failure !== undefined && !isNamespaceGoing(failure)) {
    // The first failure stays: the next ones differ in a name only (replica_set_utils.go calculateStatus).
    if (findCondition(known, "ReplicaFailure")) return known;
    const reason = pods.length < (object.spec.replicas ?? 1) ? "FailedCreate" : "FailedDelete";
    return withCondition(
      known,
      { type: "ReplicaFailure", status: "True", reason, message: textOf(failure) },
      now,
    );
  }
  const left = withoutCondition(known, "ReplicaFailure");
  return left.length > 0 ? left : undefined;
}
