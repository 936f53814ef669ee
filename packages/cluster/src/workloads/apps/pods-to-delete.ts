import { findCondition } from "../conditions.ts";
import type { Pod } from "../kinds.ts";
import { isReady } from "../pod-readiness.ts";

const costAnnotation = "controller.kubernetes.io/pod-deletion-cost";

/** The Pods that a smaller replica count can best do without, as pkg/controller ActivePodsWithRanks orders them. */
export function podsToDelete(pods: readonly Pod[], count: number): Pod[] {
  return [...pods].sort(leastWantedFirst).slice(0, count);
}

function leastWantedFirst(a: Pod, b: Pod): number {
  return (
    Number(Boolean(a.spec.nodeName)) - Number(Boolean(b.spec.nodeName)) ||
    phaseRank(a) - phaseRank(b) ||
    Number(isReady(a)) - Number(isReady(b)) ||
    cost(a) - cost(b) ||
    later(readySince(a), readySince(b)) ||
    restarts(b) - restarts(a) ||
    later(a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? "")
  );
}

function phaseRank(pod: Pod): number {
  return pod.status?.phase === "Running" ? 2 : pod.status?.phase === "Unknown" ? 1 : 0;
}

function cost(pod: Pod): number {
  return Number(pod.metadata.annotations?.[costAnnotation] ?? 0) || 0;
}

function readySince(pod: Pod): string {
  return isReady(pod) ? (findCondition(pod.status?.conditions, "Ready")?.lastTransitionTime ?? "") : "";
}

function later(a: string, b: string): number {
  return a === b ? 0 : a > b ? -1 : 1;
}

function restarts(pod: Pod): number {
  return Math.max(0, ...(pod.status?.containerStatuses ?? []).map(({ restartCount }) => restartCount));
}
