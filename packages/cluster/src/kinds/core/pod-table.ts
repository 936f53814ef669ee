import { isObject, type JsonObject, listAt, numberAt, objectAt, textAt } from "../../schema/json.ts";
import { printAge } from "../../schema/tables/age.ts";
import { type Cells, conditionOf, textOr } from "../../schema/tables/cells.ts";
import type { KubeObject } from "../../types.ts";

interface Summary {
  ready: number;
  total: number;
  reason: string;
  restarts: number;
  lastRestart: string;
}

/** pkg/printers/internalversion/printers.go printPod */
function summarize(pod: KubeObject): Summary {
  const phase = textAt(pod, "status", "phase");
  const gated = textAt(conditionOf(pod, "PodScheduled"), "reason") === "SchedulingGated";
  const summary: Summary = {
    ready: 0,
    total: listAt(pod, "spec", "containers").length,
    reason: gated ? "SchedulingGated" : textAt(pod, "status", "reason") || phase,
    restarts: 0,
    lastRestart: "",
  };
  const sidecars = sidecarNames(pod);
  summary.total += sidecars.size;
  const initializing = readInitContainers(pod, sidecars, summary);
  const initialized = textAt(conditionOf(pod, "Initialized"), "status") === "True";
  if (!initializing || initialized) readContainers(pod, sidecars, summary);
  if (pod.metadata.deletionTimestamp) {
    if (textAt(pod, "status", "reason") === "NodeLost") summary.reason = "Unknown";
    else if (phase !== "Succeeded" && phase !== "Failed") summary.reason = "Terminating";
  }
  return summary;
}

function sidecarNames(pod: KubeObject): Set<string> {
  const inits = listAt(pod, "spec", "initContainers");
  const restarting = inits.filter((container) => textAt(container, "restartPolicy") === "Always");
  return new Set(restarting.map((container) => textAt(container, "name")));
}

function addRestarts(summary: Summary, status: unknown): void {
  summary.restarts += numberAt(status, "restartCount") ?? 0;
  const finished = textAt(status, "lastState", "terminated", "finishedAt");
  if (finished > summary.lastRestart) summary.lastRestart = finished;
}

/** Whether initialization is still going on or has failed. */
function readInitContainers(pod: KubeObject, sidecars: ReadonlySet<string>, summary: Summary): boolean {
  for (const [index, status] of listAt(pod, "status", "initContainerStatuses").entries()) {
    addRestarts(summary, status);
    const terminated = objectAt(status, "state", "terminated");
    if (terminated && numberAt(terminated, "exitCode") === 0) continue;
    if (sidecars.has(textAt(status, "name")) && isTrue(status, "started")) {
      if (isTrue(status, "ready")) summary.ready += 1;
      continue;
    }
    const waiting = textAt(status, "state", "waiting", "reason");
    if (terminated) summary.reason = `Init:${exitReason(terminated)}`;
    else if (waiting && waiting !== "PodInitializing") summary.reason = `Init:${waiting}`;
    else summary.reason = `Init:${index}/${listAt(pod, "spec", "initContainers").length}`;
    return true;
  }
  return false;
}

function isTrue(value: unknown, field: string): boolean {
  return isObject(value) && value[field] === true;
}

function exitReason(terminated: JsonObject): string {
  const signal = numberAt(terminated, "signal") ?? 0;
  return (
    textAt(terminated, "reason") || (signal ? `Signal:${signal}` : `ExitCode:${terminated.exitCode ?? 0}`)
  );
}

function readContainers(pod: KubeObject, sidecars: ReadonlySet<string>, summary: Summary): void {
  summary.restarts = 0;
  summary.lastRestart = "";
  for (const status of listAt(pod, "status", "initContainerStatuses"))
    if (sidecars.has(textAt(status, "name"))) addRestarts(summary, status);
  let running = false;
  let failure = "";
  for (const status of [...listAt(pod, "status", "containerStatuses")].reverse()) {
    addRestarts(summary, status);
    const waiting = textAt(status, "state", "waiting", "reason");
    const terminated = objectAt(status, "state", "terminated");
    if (waiting) summary.reason = waiting;
    else if (terminated) {
      summary.reason = exitReason(terminated);
      if (numberAt(terminated, "exitCode")) failure = summary.reason;
    } else if (isTrue(status, "ready") && objectAt(status, "state", "running")) {
      running = true;
      summary.ready += 1;
    }
  }
  if (summary.reason !== "Completed") return;
  const ready = textAt(conditionOf(pod, "Ready"), "status") === "True";
  if (running && ready) summary.reason = "Running";
  else if (failure) summary.reason = failure;
  else if (running) summary.reason = "NotReady";
}

function restarts(pod: KubeObject, now: number): string {
  const summary = summarize(pod);
  if (summary.restarts === 0 || summary.lastRestart === "") return `${summary.restarts}`;
  return `${summary.restarts} (${printAge(summary.lastRestart, now)} ago)`;
}

function readinessGates(pod: KubeObject): string {
  const gates = listAt(pod, "spec", "readinessGates");
  if (gates.length === 0) return "<none>";
  const passed = gates.filter(
    (gate) => textAt(conditionOf(pod, textAt(gate, "conditionType")), "status") === "True",
  );
  return `${passed.length}/${gates.length}`;
}

export const podCells: Cells = {
  Ready(pod) {
    const { ready, total } = summarize(pod);
    return `${ready}/${total}`;
  },
  Status: (pod) => summarize(pod).reason,
  Restarts: restarts,
  IP: (pod) => textAt(listAt(pod, "status", "podIPs")[0], "ip") || "<none>",
  Node: textOr("<none>", "spec", "nodeName"),
  "Nominated Node": textOr("<none>", "status", "nominatedNodeName"),
  "Readiness Gates": readinessGates,
};

/** kubectl hides finished Pods by these in some of its modes. */
export function podRowConditions(pod: KubeObject): readonly unknown[] | undefined {
  const phase = textAt(pod, "status", "phase");
  if (phase === "Succeeded")
    return [
      {
        type: "Completed",
        status: "True",
        reason: "Succeeded",
        message: "The pod has completed successfully.",
      },
    ];
  if (phase === "Failed")
    return [{ type: "Completed", status: "True", reason: "Failed", message: "The pod failed." }];
  return undefined;
}
