import type { KubeObject } from "../types.ts";
import { isObject, type JsonObject, listAt, objectAt, textAt } from "./json.ts";
import { parseQuantity } from "./quantity.ts";

const nodeTaints = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/**
 * A Pod gets what admission plugins on by default give it: Priority, which an update may leave out, and
 * DefaultTolerationSeconds. A new one is Pending; its QoS class never changes.
 */
export function preparePod(object: KubeObject, previous: KubeObject | undefined): KubeObject {
  const spec = objectAt(object, "spec") ?? {};
  if (previous)
    return { ...object, spec: tolerant({ ...priorityOf(previous), ...spec }), ...statusOf(object, previous) };
  const status = {
    ...objectAt(object, "status"),
    phase: "Pending",
    qosClass: qosClassOf(spec),
    ...gatedOf(object, spec),
  };
  const priority = { priority: 0, preemptionPolicy: "PreemptLowerPriority" };
  return { ...object, spec: tolerant({ ...priority, ...spec, ...graceOf(spec) }), status };
}

/** pkg/registry/core/pod applySchedulingGatedCondition */
function gatedOf({ metadata }: KubeObject, spec: JsonObject): JsonObject {
  if (listAt(spec, "schedulingGates").length === 0) return {};
  const gated = {
    type: "PodScheduled",
    status: "False",
    lastProbeTime: null,
    lastTransitionTime: metadata.creationTimestamp,
    reason: "SchedulingGated",
    message: "Scheduling is blocked due to non-empty scheduling gates",
  };
  return { conditions: [gated] };
}

/** Less than nothing means one second (pkg/registry/core/pod strategy.PrepareForCreate). */
function graceOf({ terminationGracePeriodSeconds: seconds }: JsonObject): JsonObject {
  return typeof seconds === "number" && seconds < 0 ? { terminationGracePeriodSeconds: 1 } : {};
}

function priorityOf({ spec }: KubeObject): JsonObject {
  const names = ["priority", "preemptionPolicy"];
  return isObject(spec)
    ? Object.fromEntries(Object.entries(spec).filter(([name]) => names.includes(name)))
    : {};
}

function statusOf(object: KubeObject, previous: KubeObject): { status?: JsonObject } {
  const qosClass = objectAt(previous, "status")?.qosClass;
  const status = objectAt(object, "status");
  return qosClass === undefined ? {} : { status: { ...status, qosClass } };
}

function tolerant(spec: JsonObject): JsonObject {
  const tolerations = listAt(spec, "tolerations");
  const missing = nodeTaints.filter((key) => !tolerations.some((toleration) => tolerates(toleration, key)));
  const added = missing.map((key) => ({
    key,
    operator: "Exists",
    effect: "NoExecute",
    tolerationSeconds: 300,
  }));
  return added.length === 0 ? spec : { ...spec, tolerations: [...tolerations, ...added] };
}

function tolerates(toleration: unknown, key: string): boolean {
  const effect = textAt(toleration, "effect");
  const own = textAt(toleration, "key");
  return (own === key || own === "") && (effect === "NoExecute" || effect === "");
}

/** pkg/apis/core/v1/helper/qos/qos.go, for cpu and memory of the Pod or else of all containers. */
function qosClassOf(spec: JsonObject): string {
  const whole = objectAt(spec, "resources") ? [spec] : undefined;
  const containers =
    whole ?? [...listAt(spec, "containers"), ...listAt(spec, "initContainers")].filter(isObject);
  let any = false;
  let guaranteed = true;
  for (const container of containers)
    for (const name of ["cpu", "memory"]) {
      const request = amount(container, "requests", name);
      const limit = amount(container, "limits", name);
      if (request || limit) any = true;
      if (!limit || (request !== undefined && request !== limit)) guaranteed = false;
    }
  if (!any) return "BestEffort";
  return guaranteed ? "Guaranteed" : "Burstable";
}

function amount(container: JsonObject, kind: string, name: string): bigint | undefined {
  const text = objectAt(container, "resources", kind)?.[name];
  return text === undefined ? undefined : parseQuantity(String(text))?.nanos;
}
