import { parseBoundedJson } from "@capstan/formats";
import { withDefaults } from "../schema/defaults.ts";
import { pruneUnknown } from "../schema/prune.ts";
import { isRecord, type KubeObject } from "../types.ts";
import type { Served } from "./served.ts";

/** An object of the store in the version that was asked for. CRDs convert by strategy None: only apiVersion differs. */
export function fromStored(served: Served, stored: KubeObject): KubeObject {
  const { apiVersion } = served;
  const isOther = stored.apiVersion !== apiVersion;
  if (isOther && apiVersion === "autoscaling/v1") return horizontalToV1(stored);
  if (isOther && apiVersion === "events.k8s.io/v1") return eventToNew(stored);
  const object = isOther ? { ...stored, apiVersion } : stored;
  if (!isOlderThanSchema(served, Number(stored.metadata.resourceVersion))) return object;
  return withDefaults(served.schema(), served.info, pruneUnknown(served.schema(), object).object);
}

/** What was stored before its definition was written last may lack defaults, and have fields that went: reading mends both. */
export function isOlderThanSchema({ crd }: Served, revision: number): boolean {
  return crd !== undefined && revision < Number(crd.metadata.resourceVersion);
}

/** The inverse: what the store keeps. */
export function toStored(served: Served, object: KubeObject): KubeObject {
  if (served.apiVersion === "autoscaling/v1") return horizontalToV2(object);
  if (served.apiVersion === "events.k8s.io/v1") return eventToCore(object);
  if (served.info.version === served.info.storageVersion) return object;
  return { ...object, apiVersion: `${served.info.group}/${served.info.storageVersion}` };
}

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

const eventFields: readonly (readonly [core: string, events: string])[] = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
  ["reportingComponent", "reportingController"],
];

/** pkg/apis/events/v1/conversion.go */
function eventToNew(stored: KubeObject): KubeObject {
  return { ...rename(stored, new Map(eventFields)), apiVersion: "events.k8s.io/v1" };
}

function eventToCore(object: KubeObject): KubeObject {
  return {
    ...rename(object, new Map(eventFields.map(([core, events]) => [events, core]))),
    apiVersion: "v1",
  };
}

function rename(object: KubeObject, names: ReadonlyMap<string, string>): KubeObject {
  const { apiVersion, kind, metadata, ...rest } = object;
  const renamed = Object.entries(rest).map(([field, value]) => [names.get(field) ?? field, value]);
  return { apiVersion, kind, metadata, ...Object.fromEntries(renamed) };
}
