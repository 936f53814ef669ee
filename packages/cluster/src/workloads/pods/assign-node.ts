import { type Labels, meetsRequirement } from "@capstan/formats";
import type { KubeObject } from "../../types.ts";
import type { NodeSelectorTerm, Pod, PodSpec } from "../kinds.ts";
import { simulationMode } from "../simulation.ts";

export interface NodeObject extends KubeObject {
  spec?: { unschedulable?: boolean };
}

export type Assignment = { node: string } | { reason: "Unschedulable" | "SchedulingGated"; message: string };

/** Where the Pod goes, or why it cannot, as kube-scheduler's NodeUnschedulable and NodeAffinity plugins decide. */
export function assignNode(
  pod: Pod,
  node: NodeObject | undefined,
  unboundClaim: string | undefined,
): Assignment {
  if ((pod.spec.schedulingGates ?? []).length > 0) {
    return { reason: "SchedulingGated", message: "Scheduling is blocked due to non-empty scheduling gates" };
  }
  if (!node) return { reason: "Unschedulable", message: "no nodes available to schedule pods" };
  const refusal = unboundClaim ?? refusalOf(pod, node);
  if (refusal === undefined) return { node: node.metadata.name ?? "" };
  return {
    reason: "Unschedulable",
    message: `0/1 nodes are available: ${refusal}. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.`,
  };
}

function refusalOf(pod: Pod, node: NodeObject): string | undefined {
  if (simulationMode(pod) === "pending")
    return "1 node(s) were kept away by the annotation capstan.dev/simulate: pending";
  if (node.spec?.unschedulable && !toleratesCordon(pod)) return "1 node(s) were unschedulable";
  return selectsNode(pod.spec, node) ? undefined : "1 node(s) didn't match Pod's node affinity/selector";
}

/** Whether spec.nodeSelector and the required node affinity let the Pod onto the node. */
export function selectsNode(spec: PodSpec, node: NodeObject): boolean {
  const labels = node.metadata.labels ?? {};
  const { nodeSelector = {}, affinity } = spec;
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const isSelected = Object.entries(nodeSelector).every(([key, value]) => labels[key] === value);
  const isDrawn = terms === undefined || terms.some((term) => matchesTerm(term, labels, node.metadata.name));
  return isSelected && isDrawn;
}

function toleratesCordon({ spec }: Pod): boolean {
  return (spec.tolerations ?? []).some(
    ({ key }) => key === undefined || key === "node.kubernetes.io/unschedulable",
  );
}

function matchesTerm(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  labels: Labels,
  name?: string,
): boolean {
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  return (
    matchExpressions.every((requirement) => meetsRequirement(requirement, labels[requirement.key])) &&
    matchFields.every((requirement) =>
      meetsRequirement(requirement, requirement.key === "metadata.name" ? name : undefined),
    )
  );
}
