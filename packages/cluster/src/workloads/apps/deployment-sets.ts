import { sameJson } from "../../schema/json.ts";
import { ApiError } from "../../types.ts";
import type { Context } from "../controller.ts";
import type { Deployment, PodTemplate, ReplicaSet } from "../kinds.ts";
import { revisionHash } from "../names.ts";
import { byAge, controllerReference, isControlledBy } from "../owners.ts";
import { resourceTypes } from "../resource-types.ts";
import { maxSurge, newSetSize } from "./deployment-sizes.ts";

export const hashLabel = "pod-template-hash";
export const revisionAnnotation = "deployment.kubernetes.io/revision";
const historyAnnotation = "deployment.kubernetes.io/revision-history";
export const desiredAnnotation = "deployment.kubernetes.io/desired-replicas";
const maxAnnotation = "deployment.kubernetes.io/max-replicas";
const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";
const longestHistory = 2_000;

const notCopied = new Set([
  lastAppliedAnnotation,
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
  "deprecated.deployment.rollback.to",
]);

/** The ReplicaSets of a Deployment: the one of its template, if there is one yet, and the others, oldest first. */
export interface DeploymentSets {
  newSet: ReplicaSet | undefined;
  oldSets: readonly ReplicaSet[];
}

export function sortSets(deployment: Deployment, sets: readonly ReplicaSet[]): DeploymentSets {
  const sorted = [...sets].sort(byAge);
  const newSet = findNewSet(deployment, sorted);
  return { newSet, oldSets: sorted.filter((set) => set !== newSet) };
}

/** By its template; by its name where the API server has read more into the template than it says. */
function findNewSet(deployment: Deployment, sets: readonly ReplicaSet[]): ReplicaSet | undefined {
  const template = withoutHash(deployment.spec.template);
  const same = sets.find((set) => sameJson(withoutHash(set.spec.template), template));
  if (same || sets.length === 0) return same;
  const hash = templateHash(deployment);
  return sets.find((set) => set.metadata.labels?.[hashLabel] === hash);
}

/** An int64. */
export function revisionOf(set: ReplicaSet): bigint {
  const text = set.metadata.annotations?.[revisionAnnotation] ?? "";
  return /^\d{1,19}$/.test(text) ? BigInt(text) : 0n;
}

export const byRevision = (left: ReplicaSet, right: ReplicaSet): number =>
  Number(revisionOf(left) - revisionOf(right));

function templateHash(deployment: Deployment): string {
  return revisionHash(deployment.spec.template, deployment.status?.collisionCount ?? 0);
}

function withoutHash(template: PodTemplate): unknown {
  const { [hashLabel]: _hash, ...labels } = template.metadata?.labels ?? {};
  const annotations = template.metadata?.annotations ?? {};
  return { ...template, metadata: { labels, annotations } };
}

function nextRevision({ oldSets }: DeploymentSets): bigint {
  const newest = oldSets.toSorted(byRevision).at(-1);
  return newest === undefined ? 1n : revisionOf(newest) + 1n;
}

/** Whether a set had to be written; the change that follows brings the Deployment back here. */
export async function syncNewSet(
  { objects }: Context,
  deployment: Deployment,
  sets: DeploymentSets,
): Promise<boolean> {
  const { newSet } = sets;
  if (!newSet) return false;
  const revision = nextRevision(sets);
  const before = newSet.metadata.annotations ?? {};
  const annotations = { ...before, ...copied(deployment) };
  const known = revisionOf(newSet);
  if (known < revision) {
    annotations[revisionAnnotation] = String(revision);
    if (known > 0n) annotations[historyAnnotation] = withHistory(before[historyAnnotation], known);
  }
  const minReadySeconds = deployment.spec.minReadySeconds ?? 0;
  if (sameJson(annotations, before) && minReadySeconds === (newSet.spec.minReadySeconds ?? 0)) return false;
  await objects.update<ReplicaSet>(resourceTypes.replicaSets, {
    ...newSet,
    metadata: { ...newSet.metadata, annotations },
    spec: { ...newSet.spec, minReadySeconds },
  });
  return true;
}

function withHistory(history: string | undefined, revision: bigint): string {
  const all = [...(history ? history.split(",") : []), String(revision)];
  while (all.length > 1 && all.join(",").length > longestHistory) all.shift();
  return all.join(",");
}

function copied(deployment: Deployment): Record<string, string> {
  const annotations = Object.entries(deployment.metadata.annotations ?? {});
  return Object.fromEntries(annotations.filter(([key]) => !notCopied.has(key)));
}

export type Created = { set: ReplicaSet } | { collision: true };

/** The ReplicaSet of the Deployment's template. A name that another template holds is a collision. */
export async function createNewSet(
  { objects }: Context,
  deployment: Deployment,
  sets: DeploymentSets,
): Promise<Created> {
  const set = newReplicaSet(deployment, sets);
  try {
    return { set: await objects.create<ReplicaSet>(resourceTypes.replicaSets, set) };
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== "AlreadyExists") throw error;
    const { namespace = "", name = "" } = set.metadata;
    const known = objects.get<ReplicaSet>(resourceTypes.replicaSets, namespace, name);
    if (!known || isControlledBy(known, deployment)) throw error;
    return { collision: true };
  }
}

function newReplicaSet(deployment: Deployment, sets: DeploymentSets): ReplicaSet {
  const { name = "", namespace = "" } = deployment.metadata;
  const { selector, template, minReadySeconds } = deployment.spec;
  const hash = templateHash(deployment);
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: `${name.slice(0, 252 - hash.length)}-${hash}`,
      namespace,
      labels,
      annotations: {
        ...copied(deployment),
        ...sizeAnnotations(deployment),
        [revisionAnnotation]: String(nextRevision(sets)),
      },
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas: newSetSize(deployment, sets),
      ...(minReadySeconds !== undefined && { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

/** What the Deployment wanted when it last sized this set: a difference later means that it was scaled. */
export function sizeAnnotations(deployment: Deployment): Record<string, string> {
  const replicas = deployment.spec.replicas ?? 1;
  return { [desiredAnnotation]: String(replicas), [maxAnnotation]: String(replicas + maxSurge(deployment)) };
}
