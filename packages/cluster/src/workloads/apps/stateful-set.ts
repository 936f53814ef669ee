import { dependentChanges } from "../adopters.ts";
import { dependents } from "../claim-dependents.ts";
import { type Context, type Controller, ownChanges } from "../controller.ts";
import {
  type ControllerRevision,
  isPod,
  type Pod,
  type StatefulSet,
  type StatefulSetStatus,
} from "../kinds.ts";
import { isDeleting } from "../owners.ts";
import { slowStart } from "../pod-control.ts";
import { isAvailable, isEnded, isReady, nextAvailableInMs } from "../pod-readiness.ts";
import { resourceTypes } from "../resource-types.ts";
import { unlessZero, writeStatus } from "../write-status.ts";
import { type History, revisionLabel, truncateHistory } from "./controller-revisions.ts";
import { resolve } from "./deployment-sizes.ts";
import { beginRevisedTurn } from "./revised-turn.ts";
import {
  createStatefulPod,
  deleteStatefulPod,
  ordinalOf,
  startOrdinal,
  statefulPod,
} from "./stateful-set-pods.ts";

export function statefulSets(context: Context): Controller {
  return {
    name: "statefulset-controller",
    watches: [
      ownChanges(resourceTypes.statefulSets),
      dependentChanges(context.objects, resourceTypes.pods, {
        type: resourceTypes.statefulSets,
        kind: "StatefulSet",
        apiVersion: "apps/v1",
      }),
    ],
    async reconcile(key) {
      const { clock } = context;
      const begun = await beginRevisedTurn<StatefulSet>(context, resourceTypes.statefulSets, key);
      if (!begun.set) return begun.againInMs;
      const { set, pods, history } = begun;
      const current = history.revisions.find(({ metadata }) => metadata.name === set.status?.currentRevision);
      const turn = { context, set, history, current: current ?? history.update, nowMs: clock.now() };
      if (!isDeleting(set)) await act(turn, pods);
      return tell(turn);
    },
  };
}

interface Turn {
  context: Context;
  set: StatefulSet;
  history: History;
  /** What the Pods that are not to be updated yet are made from. */
  current: ControllerRevision;
  nowMs: number;
}

/** As pkg/controller/statefulset updateStatefulSet: fill gaps, then shed what is too many, then update. */
async function act(turn: Turn, pods: readonly Pod[]): Promise<void> {
  const { set } = turn;
  const first = startOrdinal(set);
  const count = set.spec.replicas ?? 1;
  const replicas: (Pod | undefined)[] = new Array(count).fill(undefined);
  const condemned: Pod[] = [];
  for (const pod of pods) {
    const ordinal = ordinalOf(set, pod);
    if (ordinal === undefined) continue;
    if (ordinal >= first && ordinal < first + count) replicas[ordinal - first] = pod;
    else condemned.push(pod);
  }
  condemned.sort((a, b) => (ordinalOf(set, b) ?? 0) - (ordinalOf(set, a) ?? 0));
  const isOrdered = set.spec.podManagementPolicy !== "Parallel";
  if (!(isOrdered ? await fillInOrder(turn, replicas) : await fillAtOnce(turn, replicas))) return;
  if (!(await shed(turn, condemned, isOrdered))) return;
  if (set.spec.updateStrategy?.type !== "OnDelete") await update(turn, replicas);
}

/** Answers whether all replicas are there and available. */
async function fillInOrder(turn: Turn, replicas: readonly (Pod | undefined)[]): Promise<boolean> {
  for (const [index, pod] of replicas.entries()) {
    if (!(await fill(turn, index, pod))) return false;
    if (!pod || isDeleting(pod) || !isAvailableIn(turn, pod)) return false;
  }
  return true;
}

async function fillAtOnce(turn: Turn, replicas: readonly (Pod | undefined)[]): Promise<boolean> {
  await slowStart(replicas.length, (index) => fill(turn, index, replicas[index]));
  return replicas.every((pod) => pod !== undefined);
}

/** Answers false when it acted. */
async function fill(turn: Turn, index: number, pod: Pod | undefined): Promise<boolean> {
  const { context, set } = turn;
  if (!pod) {
    const ordinal = startOrdinal(set) + index;
    await createStatefulPod(context, set, statefulPod(set, ordinal, revisionFor(turn, index)));
    return false;
  }
  if (!isEnded(pod)) return true;
  if (isDeleting(pod)) return false;
  const message = `StatefulSet ${set.metadata.namespace}/${set.metadata.name} is recreating failed Pod ${pod.metadata.name}`;
  context.events.record(set, {
    type: "Warning",
    reason: "RecreatingFailedPod",
    message,
    component: "statefulset-controller",
  });
  await deleteStatefulPod(context, set, { pod, isSurplus: false });
  return false;
}

/** Below the partition, and before an update has reached them, Pods come back as they were. */
function revisionFor({ set, history, current }: Turn, index: number): ControllerRevision {
  const { type = "RollingUpdate", rollingUpdate } = set.spec.updateStrategy ?? {};
  if (type !== "RollingUpdate") return history.update;
  const below =
    rollingUpdate === undefined ? (set.status?.currentReplicas ?? 0) : (rollingUpdate.partition ?? 0);
  return index < below ? current : history.update;
}

/** Answers whether none was left to shed. */
async function shed(turn: Turn, condemned: readonly Pod[], isOrdered: boolean): Promise<boolean> {
  for (const pod of condemned) {
    if (!isDeleting(pod)) await deleteStatefulPod(turn.context, turn.set, { pod, isSurplus: true });
    if (isOrdered) return false;
  }
  return condemned.length === 0;
}

/** From the highest ordinal down to the partition, as many at a time as may be unavailable. */
async function update(turn: Turn, replicas: readonly (Pod | undefined)[]): Promise<void> {
  const { context, set, history } = turn;
  const { partition = 0, maxUnavailable = 1 } = set.spec.updateStrategy?.rollingUpdate ?? {};
  let room = Math.max(resolve(maxUnavailable, replicas.length, Math.floor), 1);
  for (let index = replicas.length - 1; index >= partition && room > 0; index--) {
    const pod = replicas[index];
    const isStale = pod && !isDeleting(pod) && !isCurrent(pod, history.update);
    if (isStale) await deleteStatefulPod(context, set, { pod, isSurplus: false });
    if (isStale || !pod || isDeleting(pod) || !isAvailableIn(turn, pod)) room -= 1;
  }
}

function isCurrent(pod: Pod, revision: ControllerRevision): boolean {
  return pod.metadata.labels?.[revisionLabel] === revision.metadata.name;
}

function isAvailableIn({ set, nowMs }: Turn, pod: Pod): boolean {
  return isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs);
}

async function tell(turn: Turn): Promise<number | undefined> {
  const { context, set, history, nowMs } = turn;
  const pods = dependents(context.objects, set, isPod);
  const status = statusOf(turn, pods);
  await writeStatus<StatefulSet>(context.objects, resourceTypes.statefulSets, { object: set, status });
  const live = new Set(pods.map(({ metadata }) => metadata.labels?.[revisionLabel]));
  const inUse = ({ metadata }: ControllerRevision) =>
    live.has(metadata.name) ||
    metadata.name === status.currentRevision ||
    metadata.name === status.updateRevision;
  await truncateHistory(context, set, { revisions: history.revisions, inUse });
  return nextAvailableInMs(pods, set.spec.minReadySeconds ?? 0, nowMs);
}

function statusOf({ set, history, current, nowMs }: Turn, pods: readonly Pod[]): StatefulSetStatus {
  const wanted = set.spec.replicas ?? 1;
  const staying = pods.filter((pod) => !isDeleting(pod));
  const ready = pods.filter(isReady);
  const updated = staying.filter((pod) => isCurrent(pod, history.update)).length;
  const isUpdated = updated === wanted && ready.length === wanted && pods.length === wanted;
  const rolls = set.spec.updateStrategy?.type !== "OnDelete";
  const shown = rolls && isUpdated ? history.update : current;
  const currentCount = staying.filter((pod) => isCurrent(pod, shown)).length;
  return {
    ...(set.metadata.generation !== undefined && { observedGeneration: set.metadata.generation }),
    replicas: pods.length,
    ...counted("readyReplicas", ready.length),
    ...counted("currentReplicas", currentCount),
    ...counted("updatedReplicas", updated),
    currentRevision: shown.metadata.name ?? "",
    updateRevision: history.update.metadata.name ?? "",
    collisionCount: set.status?.collisionCount ?? 0,
    availableReplicas: ready.filter((pod) => isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs)).length,
  };
}

function counted(field: keyof StatefulSetStatus, count: number): StatefulSetStatus {
  const value = unlessZero(count);
  return value === undefined ? {} : { [field]: value };
}
