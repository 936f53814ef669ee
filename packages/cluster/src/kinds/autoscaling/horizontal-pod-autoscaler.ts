import { parseBoundedJson } from "@capstan/formats";
import { defaultBehavior } from "../../schema/defaulting/autoscaling.ts";
import { autoscalerCells } from "../../schema/tables/workload.ts";
import { validateAutoscaler } from "../../schema/validation/autoscaling.ts";
import { autoscalerStatus } from "../../schema/validation/status.ts";
import { isRecord, type KubeObject } from "../../types.ts";
import { autoscalers } from "../../workloads/policy/autoscalers.ts";
import type { Kind } from "../kind.ts";

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
  cells: autoscalerCells,
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
