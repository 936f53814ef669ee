import { parseBoundedJson } from "@capstan/formats";
import { isObject, type JsonObject, listAt, numberAt, objectAt, textAt } from "../../schema/json.ts";
import { count } from "../../schema/tables/cells.ts";
import { isRecord, type KubeObject } from "../../types.ts";
import { autoscalers } from "../../workloads/policy/autoscalers.ts";
import type { Kind } from "../kind.ts";
import { autoscalerStatus, validateAutoscaler } from "./horizontal-pod-autoscaler-validation.ts";

const shrinkAll = { type: "Percent", value: 100, periodSeconds: 15 };

const growByFour = { type: "Pods", value: 4, periodSeconds: 15 };

export const horizontalPodAutoscaler: Kind = {
  group: "autoscaling",
  resource: "horizontalpodautoscalers",
  storage: { type: "autoscaling/horizontalpodautoscalers", version: "v2" },
  metadataPasses: { update: 2, whole: 3 },
  newStatus: { currentReplicas: 0, desiredReplicas: 0, currentMetrics: null },
  defaults: {
    "io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerBehavior": defaultBehavior,
  },
  validate: validateAutoscaler,
  validateStatus: autoscalerStatus,
  cells: {
    Reference: (object) =>
      `${textAt(object, "spec", "scaleTargetRef", "kind")}/${textAt(object, "spec", "scaleTargetRef", "name")}`,
    Targets: autoscalerTargets,
    MinPods: (object) => `${numberAt(object, "spec", "minReplicas") ?? "<unset>"}`,
    MaxPods: count("spec", "maxReplicas"),
    Replicas: count("status", "currentReplicas"),
  },
  conversions: { v1: { fromStored: horizontalToV1, toStored: horizontalToV2 } },
  simulation: { make: autoscalers },
};

const metricsAnnotation = "autoscaling.alpha.kubernetes.io/metrics";

/** pkg/apis/autoscaling/v1/conversion.go: the CPU target is a field, all other metrics an annotation. */
function horizontalToV1(stored: KubeObject): KubeObject {
  const { metrics, behavior: _behavior, ...spec } = isRecord(stored.spec) ? stored.spec : {};
  const all = Array.isArray(metrics) ? metrics : [];
  const others = all.filter((metric) => cpuTarget(metric) === undefined);
  const target = all.map(cpuTarget).find((value) => value !== undefined);
  const {
    currentMetrics: _metrics,
    conditions: _conditions,
    ...status
  } = isRecord(stored.status) ? stored.status : {};
  const annotations =
    others.length > 0
      ? { ...stored.metadata.annotations, [metricsAnnotation]: JSON.stringify(others) }
      : stored.metadata.annotations;
  return {
    ...stored,
    apiVersion: "autoscaling/v1",
    metadata: { ...stored.metadata, ...(annotations && { annotations }) },
    spec: { ...spec, ...(target !== undefined && { targetCPUUtilizationPercentage: target }) },
    status,
  };
}

function horizontalToV2(object: KubeObject): KubeObject {
  const { targetCPUUtilizationPercentage: target, ...spec } = isRecord(object.spec) ? object.spec : {};
  const { [metricsAnnotation]: written, ...annotations } = object.metadata.annotations ?? {};
  const others: unknown = written === undefined ? [] : parseBoundedJson(written);
  const cpu = {
    type: "Resource",
    resource: { name: "cpu", target: { type: "Utilization", averageUtilization: target } },
  };
  const metrics = [...(Array.isArray(others) ? others : []), ...(target === undefined ? [] : [cpu])];
  return {
    ...object,
    apiVersion: "autoscaling/v2",
    metadata: { ...object.metadata, ...(object.metadata.annotations && { annotations }) },
    spec: { ...spec, ...(metrics.length > 0 && { metrics }) },
  };
}

function cpuTarget(metric: unknown): unknown {
  if (!isRecord(metric) || metric.type !== "Resource" || !isRecord(metric.resource)) return undefined;
  const { name, target } = metric.resource;
  return name === "cpu" && isRecord(target) ? target.averageUtilization : undefined;
}

/** pkg/apis/autoscaling/v2/defaults.go: both directions get rules as soon as one is written. */
function defaultBehavior(fields: JsonObject): void {
  fields.scaleUp = {
    stabilizationWindowSeconds: 0,
    policies: [growByFour, shrinkAll],
    ...objectAt(fields, "scaleUp"),
  };
  fields.scaleDown = { policies: [shrinkAll], ...objectAt(fields, "scaleDown") };
}

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
