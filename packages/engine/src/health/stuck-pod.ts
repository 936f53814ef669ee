import type { Manifest } from "@capstan/model";
import { conditionsOf, countOf, type Fields, fieldsAt, listAt, textOf } from "./health-rule.ts";
import { isFailure } from "./pod.ts";

/**
 * Why a Pod does not come up by waiting, as the kubelet names it: `CrashLoopBackOff`, `ImagePullBackOff`; "" for every
 * other Pod. Between two crashes a container runs for a while: one that has crashed and is not ready still loops.
 */
export function stuckReason(pod: Manifest): string {
  const containers = [
    ...listAt(pod, "status", "initContainerStatuses"),
    ...listAt(pod, "status", "containerStatuses"),
  ];
  for (const container of containers) {
    const waiting = textOf(fieldsAt(container, "state", "waiting").reason);
    if (isFailure(waiting)) return waiting;
  }
  const isReady = conditionsOf(pod).some(({ type, status }) => type === "Ready" && status === "True");
  if (isReady || fieldsAt(pod, "spec").restartPolicy === "Never") return "";
  return containers.some(hasCrashed) ? "CrashLoopBackOff" : "";
}

/** It has failed more than once, or has failed and is not running. */
function hasCrashed(container: Fields): boolean {
  const last = fieldsAt(container, "lastState", "terminated");
  const now = fieldsAt(container, "state", "terminated");
  const failed = (ended: Fields) => Object.keys(ended).length > 0 && countOf(ended.exitCode, 1) !== 0;
  const restarts = countOf(container.restartCount);
  return container.ready !== true && ((restarts > 1 && failed(last)) || (restarts > 0 && failed(now)));
}
