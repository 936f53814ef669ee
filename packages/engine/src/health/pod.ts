import { annotationKeys, type HealthStatus, type Manifest } from "@capstan/model";
import { isHook } from "../marks/hooks.ts";
import {
  conditionsOf,
  countOf,
  type Fields,
  fieldsAt,
  type HealthRule,
  health,
  listAt,
  textOf,
} from "./health-rule.ts";

export const pod: HealthRule = {
  group: "",
  kind: "Pod",
  versions: ["v1"],
  assess(live) {
    const containers = listAt(live, "status", "containerStatuses");
    if (restartsAlways(live)) {
      const waiting = containers.map((container) => fieldsAt(container, "state", "waiting"));
      const stuck = waiting.filter(({ reason }) => isFailure(textOf(reason)));
      const told = stuck.find(({ message }) => textOf(message) !== "") ?? stuck[0];
      if (told !== undefined) return health("Degraded", textOf(told.message) || textOf(told.reason));
    }
    const status = fieldsAt(live, "status");
    const message = textOf(status.message);
    switch (status.phase) {
      case "Pending":
        return health("Progressing", message);
      case "Succeeded":
        return health("Healthy", message);
      case "Failed":
        return failedPod(message, containers);
      case "Running":
        return runningPod(live, containers);
      default:
        return health("Unknown", message);
    }
  },
};

/** The annotation makes a Pod count as one that should stay up, but never one that is a hook. */
function restartsAlways(live: Manifest): boolean {
  const policy = fieldsAt(live, "spec").restartPolicy;
  if (policy === "Always") return true;
  return live.metadata.annotations?.[annotationKeys.ignoreRestartPolicy] === "true" && !isHook(live);
}

/** Whether a container that waits for this reason waits in vain. */
export function isFailure(reason: string): boolean {
  return reason.startsWith("Err") || reason.endsWith("Error") || reason.endsWith("BackOff");
}

function failedPod(message: string, containers: readonly Fields[]): HealthStatus {
  if (message !== "") return health("Degraded", message);
  for (const container of containers) {
    const ended = fieldsAt(container, "state", "terminated");
    const text = textOf(ended.message);
    if (text !== "") return health("Degraded", text);
    if (ended.reason === "OOMKilled") return health("Degraded", "OOMKilled");
    const code = countOf(ended.exitCode);
    if (code !== 0) {
      return health("Degraded", `container "${textOf(container.name)}" failed with exit code ${code}`);
    }
  }
  return health("Degraded");
}

function runningPod(live: Manifest, containers: readonly Fields[]): HealthStatus {
  const message = textOf(fieldsAt(live, "status").message);
  if (!restartsAlways(live)) return health("Progressing", message);
  const isReady = conditionsOf(live).some(({ type, status }) => type === "Ready" && status === "True");
  if (isReady) return health("Healthy", message);
  const hasEnded = containers.some(
    (container) => Object.keys(fieldsAt(container, "lastState", "terminated")).length > 0,
  );
  return health(hasEnded ? "Degraded" : "Progressing", message);
}
