import type { KubeObject } from "../../types.ts";
import { isObject, listAt, numberAt, objectAt, textAt, valueAt } from "../json.ts";
import { printAge, printDuration } from "./age.ts";
import {
  type Cells,
  conditionOf,
  containerCells,
  count,
  fraction,
  length,
  printLabels,
  selector,
  text,
  textOr,
} from "./cells.ts";

export const deploymentCells: Cells = {
  Ready: fraction(["status", "readyReplicas"], ["spec", "replicas"]),
  "Up-to-date": count("status", "updatedReplicas"),
  Available: count("status", "availableReplicas"),
  ...containerCells("spec", "template"),
  Selector: selector("spec", "selector"),
};

export const replicaSetCells: Cells = {
  Desired: count("spec", "replicas"),
  Current: count("status", "replicas"),
  Ready: count("status", "readyReplicas"),
  ...containerCells("spec", "template"),
  Selector: selector("spec", "selector"),
};

export const replicationControllerCells: Cells = {
  ...replicaSetCells,
  Selector: (object) => printLabels(objectAt(object, "spec", "selector")),
};

export const statefulSetCells: Cells = {
  Ready: fraction(["status", "readyReplicas"], ["spec", "replicas"]),
  ...containerCells("spec", "template"),
};

export const daemonSetCells: Cells = {
  Desired: count("status", "desiredNumberScheduled"),
  Current: count("status", "currentNumberScheduled"),
  Ready: count("status", "numberReady"),
  "Up-to-date": count("status", "updatedNumberScheduled"),
  Available: count("status", "numberAvailable"),
  "Node Selector": (object) => printLabels(objectAt(object, "spec", "template", "spec", "nodeSelector")),
  ...containerCells("spec", "template"),
  Selector: selector("spec", "selector"),
};

export const jobCells: Cells = {
  Status: jobStatus,
  Completions: jobCompletions,
  Duration: jobDuration,
  ...containerCells("spec", "template"),
  Selector: selector("spec", "selector"),
};

function jobStatus(job: KubeObject): string {
  const holds = (type: string): boolean => textAt(conditionOf(job, type), "status") === "True";
  if (holds("Complete")) return "Complete";
  if (holds("Failed")) return "Failed";
  if (job.metadata.deletionTimestamp) return "Terminating";
  return ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find(holds) ?? "Running";
}

function jobCompletions(job: KubeObject): string {
  const succeeded = numberAt(job, "status", "succeeded") ?? 0;
  const completions = numberAt(job, "spec", "completions");
  if (completions !== undefined) return `${succeeded}/${completions}`;
  const parallelism = numberAt(job, "spec", "parallelism") ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: KubeObject, now: number): string {
  const started = Date.parse(textAt(job, "status", "startTime"));
  const completed = Date.parse(textAt(job, "status", "completionTime"));
  if (Number.isNaN(started)) return "";
  return printDuration((Number.isNaN(completed) ? now : completed) - started);
}

export const cronJobCells: Cells = {
  Schedule: text("spec", "schedule"),
  Timezone: textOr("<none>", "spec", "timeZone"),
  Suspend: (object) => (valueAt(object, "spec", "suspend") === true ? "True" : "False"),
  Active: length("status", "active"),
  "Last Schedule": (object, now) => {
    const last = textAt(object, "status", "lastScheduleTime");
    return last ? printAge(last, now) : "<none>";
  },
  ...containerCells("spec", "jobTemplate", "spec", "template"),
  Selector: selector("spec", "jobTemplate", "spec", "selector"),
};

export const podTemplateCells: Cells = {
  ...containerCells("template"),
  "Pod Labels": (object) => printLabels(objectAt(object, "template", "metadata", "labels")),
};

export const controllerRevisionCells: Cells = {
  Controller(object) {
    const owner = object.metadata.ownerReferences?.find(({ controller }) => controller === true);
    if (!owner) return "<none>";
    const group = owner.apiVersion.includes("/") ? `.${owner.apiVersion.split("/")[0]}` : "";
    return `${owner.kind.toLowerCase()}${group}/${owner.name}`;
  },
  Revision: count("revision"),
};

export const autoscalerCells: Cells = {
  Reference: (object) =>
    `${textAt(object, "spec", "scaleTargetRef", "kind")}/${textAt(object, "spec", "scaleTargetRef", "name")}`,
  Targets: autoscalerTargets,
  MinPods: (object) => `${numberAt(object, "spec", "minReplicas") ?? "<unset>"}`,
  MaxPods: count("spec", "maxReplicas"),
  Replicas: count("status", "currentReplicas"),
};

function autoscalerTargets(object: KubeObject): string {
  const simple = numberAt(object, "spec", "targetCPUUtilizationPercentage");
  if (simple !== undefined) {
    const current = numberAt(object, "status", "currentCPUUtilizationPercentage");
    return `cpu: ${current === undefined ? "<unknown>" : `${current}%`}/${simple}%`;
  }
  const states = listAt(object, "status", "currentMetrics");
  const targets = listAt(object, "spec", "metrics").map((metric, index) =>
    metricTarget(metric, states[index]),
  );
  if (targets.length === 0) return "<none>";
  const shown = targets.slice(0, 2).join(", ");
  return targets.length > 2 ? `${shown} + ${targets.length - 2} more...` : shown;
}

function metricTarget(metric: unknown, state: unknown): string {
  const type = textAt(metric, "type");
  const field = `${type.slice(0, 1).toLowerCase()}${type.slice(1)}`;
  const source = objectAt(metric, field);
  if (!source) return "<unknown type>";
  const target = objectAt(source, "target");
  const current = objectAt(state, field, "current");
  const amount = (of: unknown, name: string): string | undefined => {
    const value = isObject(of) ? of[name] : undefined;
    return value === undefined ? undefined : `${value}`;
  };
  const average = amount(target, "averageValue");
  const isResource = type === "Resource" || type === "ContainerResource";
  const name = isResource ? `${textAt(source, "name")}: ` : "";
  if (average !== undefined) {
    const suffix = isResource || type === "Pods" ? "" : " (avg)";
    return `${name}${amount(current, "averageValue") ?? "<unknown>"}/${average}${suffix}`;
  }
  if (!isResource) return `${amount(current, "value") ?? "<unknown>"}/${amount(target, "value") ?? "0"}`;
  const percent = (of: unknown, fallback: string): string => {
    const value = amount(of, "averageUtilization");
    return value === undefined ? fallback : `${value}%`;
  };
  return `${name}${percent(current, "<unknown>")}/${percent(target, "<auto>")}`;
}
