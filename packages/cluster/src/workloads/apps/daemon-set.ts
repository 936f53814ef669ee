import { dependentChanges } from "../adopters.ts";
import { dependents } from "../claim-dependents.ts";
import { type Context, type Controller, keyOf, ownChanges } from "../controller.ts";
import { type ControllerRevision, type DaemonSet, isPod, type Pod, type PodTemplate } from "../kinds.ts";
import { byAge, isDeleting } from "../owners.ts";
import { newPod, PodControl } from "../pod-control.ts";
import { isAvailable, isEnded, isReady, nextAvailableInMs } from "../pod-readiness.ts";
import { type NodeObject, selectsNode } from "../pods/assign-node.ts";
import { resourceTypes } from "../resource-types.ts";
import { nodeName } from "../simulation.ts";
import { unlessZero, writeStatus } from "../write-status.ts";
import { hashOf, revisionLabel, truncateHistory } from "./controller-revisions.ts";
import { beginRevisedTurn } from "./revised-turn.ts";

const component = "daemonset-controller";

const generationLabel = "pod-template-generation";

export function daemonSets(context: Context): Controller {
  const control = new PodControl(context, component);
  const all = () => context.objects.list(resourceTypes.daemonSets).map(keyOf);
  return {
    name: component,
    watches: [
      ownChanges(resourceTypes.daemonSets),
      dependentChanges(context.objects, resourceTypes.pods, {
        type: resourceTypes.daemonSets,
        kind: "DaemonSet",
        apiVersion: "apps/v1",
      }),
      { type: resourceTypes.nodes, keysOf: all },
    ],
    async reconcile(key) {
      const { objects } = context;
      const turn = await beginRevisedTurn<DaemonSet>(context, resourceTypes.daemonSets, key);
      if (!turn.set) return turn.againInMs;
      const { set, pods, history } = turn;
      const node = objects.get<NodeObject>(resourceTypes.nodes, "", nodeName);
      const isWanted = node !== undefined && selectsNode(set.spec.template.spec, node);
      const hash = hashOf(history.update);
      if (!isDeleting(set)) await act(control, { set, hash, isWanted, context }, pods);
      const inUse = (revision: ControllerRevision) =>
        revision === history.update ||
        pods.some((pod) => pod.metadata.labels?.[revisionLabel] === hashOf(revision));
      await truncateHistory(context, set, { revisions: history.revisions, inUse });
      return tell(context, set, { hash, isWanted });
    },
  };
}

interface Turn {
  context: Context;
  set: DaemonSet;
  hash: string;
  isWanted: boolean;
}

/** One Pod on the one node: unwanted, surplus, ended and outdated ones go, and a missing one comes. */
async function act(control: PodControl, turn: Turn, pods: readonly Pod[]): Promise<void> {
  const { set, hash, isWanted } = turn;
  const rolls = set.spec.updateStrategy?.type !== "OnDelete";
  const staying = pods.filter((pod) => !isDeleting(pod)).sort(byAge);
  const kept = staying.find((pod) => !isEnded(pod));
  for (const pod of staying) {
    const isStale = rolls && pod.metadata.labels?.[revisionLabel] !== hash;
    if (isWanted && pod === kept && !isStale) continue;
    if (isEnded(pod)) complain(turn, pod);
    await control.delete(set, pod);
  }
  if (isWanted && pods.length === 0) await control.create(set, daemonPod(set, hash));
}

function complain({ context, set }: Turn, pod: Pod): void {
  const outcome = pod.status?.phase === "Failed" ? "failed" : "succeeded";
  const message = `Found ${outcome} daemon pod ${keyOf(pod)} on node ${nodeName}, will try to kill it`;
  const type = outcome === "failed" ? "Warning" : "Normal";
  context.events.record(set, {
    type,
    reason: outcome === "failed" ? "FailedDaemonPod" : "SucceededDaemonPod",
    message,
    component,
  });
}

/** Bound to the node by affinity and tolerating its taints, as pkg/controller/daemon/util has it. */
function daemonPod(set: DaemonSet, hash: string): Pod {
  const { template } = set.spec;
  const generation =
    set.metadata.annotations?.["deprecated.daemonset.template.generation"] ??
    String(set.metadata.generation ?? 1);
  const labelled: PodTemplate = {
    metadata: {
      ...template.metadata,
      labels: { ...template.metadata?.labels, [revisionLabel]: hash, [generationLabel]: generation },
    },
    spec: {
      ...template.spec,
      affinity: {
        ...template.spec.affinity,
        nodeAffinity: {
          ...template.spec.affinity?.nodeAffinity,
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              { matchFields: [{ key: "metadata.name", operator: "In", values: [nodeName] }] },
            ],
          },
        },
      },
      tolerations: [...(template.spec.tolerations ?? []), ...nodeTolerations],
    },
  };
  return newPod(labelled, set, { prefix: `${set.metadata.name}-` });
}

const nodeTolerations = [
  { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/disk-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/pid-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" },
];

async function tell(
  { objects, clock }: Context,
  set: DaemonSet,
  { hash, isWanted }: { hash: string; isWanted: boolean },
): Promise<number | undefined> {
  const nowMs = clock.now();
  const minReadySeconds = set.spec.minReadySeconds ?? 0;
  const pods = dependents(objects, set, isPod).filter((pod) => !isDeleting(pod));
  const [pod] = isWanted ? pods : [];
  const desired = Number(isWanted);
  const available = Number(pod !== undefined && isAvailable(pod, minReadySeconds, nowMs));
  const status = {
    currentNumberScheduled: Number(pod !== undefined),
    numberMisscheduled: isWanted ? 0 : pods.length,
    desiredNumberScheduled: desired,
    numberReady: Number(pod !== undefined && isReady(pod)),
    observedGeneration: set.metadata.generation,
    updatedNumberScheduled: unlessZero(Number(pod?.metadata.labels?.[revisionLabel] === hash)),
    numberAvailable: unlessZero(available),
    numberUnavailable: unlessZero(desired - available),
    collisionCount: set.status?.collisionCount,
  };
  await writeStatus<DaemonSet>(objects, resourceTypes.daemonSets, { object: set, status });
  return nextAvailableInMs(pods, minReadySeconds, nowMs);
}
