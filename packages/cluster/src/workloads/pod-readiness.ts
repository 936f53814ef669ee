import { findCondition, isTrue } from "./conditions.ts";
import type { Pod } from "./kinds.ts";
import { isDeleting } from "./owners.ts";

export function isReady(pod: Pod): boolean {
  return isTrue(pod.status?.conditions, "Ready");
}

/** Not ended and not on its way out. */
export function isActive(pod: Pod): boolean {
  return !isEnded(pod) && !isDeleting(pod);
}

/** On its way out and not ended, as controller.IsPodTerminating. */
export function isTerminating(pod: Pod): boolean {
  return !isEnded(pod) && isDeleting(pod);
}

export function isEnded(pod: Pod): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}

/** In how many ms a ready Pod counts as available: 0 when it does already, undefined when it is not ready. */
export function availableInMs(pod: Pod, minReadySeconds: number, nowMs: number): number | undefined {
  if (!isReady(pod)) return undefined;
  if (minReadySeconds === 0) return 0;
  const since = Date.parse(findCondition(pod.status?.conditions, "Ready")?.lastTransitionTime ?? "");
  return Math.max(since + minReadySeconds * 1_000 - nowMs, 0);
}

export function isAvailable(pod: Pod, minReadySeconds: number, nowMs: number): boolean {
  return availableInMs(pod, minReadySeconds, nowMs) === 0;
}

/** When the next ready Pod becomes available; undefined when none is about to. */
export function nextAvailableInMs(
  pods: readonly Pod[],
  minReadySeconds: number,
  nowMs: number,
): number | undefined {
  const times = pods.map((pod) => availableInMs(pod, minReadySeconds, nowMs) ?? 0).filter((ms) => ms > 0);
  return times.length === 0 ? undefined : Math.min(...times);
}
