import { isRecord, parseBoundedJson } from "@capstan/formats";
import type { Manifest } from "@capstan/model";
import { conditionsOf, type HealthRule, health, type StatusCondition, textOf } from "./health-rule.ts";

const waiting = "Waiting to Autoscale";

const scaleFailures = new Set(["FailedGetScale", "FailedUpdateScale"]);
const metricFailures = new Set([
  "FailedGetResourceMetric",
  "FailedGetObjectMetric",
  "FailedGetPodsMetric",
  "FailedGetExternalMetric",
  "FailedComputeMetricsReplicas",
  "InvalidSelector",
]);

export const horizontalPodAutoscaler: HealthRule = {
  group: "autoscaling",
  kind: "HorizontalPodAutoscaler",
  versions: ["v1", "v2"],
  assess(live) {
    const conditions = live.apiVersion === "autoscaling/v1" ? annotatedConditions(live) : conditionsOf(live);
    const failed = conditions.find(isFailure);
    if (failed !== undefined) return health("Degraded", failed.message);
    const working = conditions.find(isWorking);
    if (working !== undefined) return health("Healthy", working.message);
    return health("Progressing", waiting);
  },
};

function isFailure({ type, status, reason }: StatusCondition): boolean {
  if (status !== "False") return false;
  if (type === "AbleToScale") return scaleFailures.has(reason);
  return type === "ScalingActive" && metricFailures.has(reason);
}

function isWorking({ type, status }: StatusCondition): boolean {
  return status === "True" && (type === "AbleToScale" || type === "ScalingLimited");
}

/** Version 1 has no conditions of its own; the server tells them in an annotation. */
function annotatedConditions({ metadata }: Manifest): StatusCondition[] {
  const text = metadata.annotations?.["autoscaling.alpha.kubernetes.io/conditions"];
  if (text === undefined) return [];
  let found: unknown;
  try {
    found = parseBoundedJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return []; // anyone may write an annotation
    throw error;
  }
  if (!Array.isArray(found)) return [];
  return found.filter(isRecord).map(({ type, status, reason, message }) => ({
    type: textOf(type),
    status: textOf(status),
    reason: textOf(reason),
    message: textOf(message),
  }));
}
