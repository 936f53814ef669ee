import { parseQuantity } from "@capstan/formats";
import { podHook } from "../../admission/pods.ts";
import { specOf } from "../../registry/kind-rules.ts";
import { fieldAt, fieldsAt } from "../../registry/selectable-fields.ts";
import { isObject, type JsonObject, listAt, objectAt, textAt } from "../../schema/json.ts";
import { podWarnings } from "../../schema/pod-warnings.ts";
import type { KubeObject } from "../../types.ts";
import type { Kind } from "../kind.ts";
import { podCells, podRowConditions } from "./pod-table.ts";
import { validatePod } from "./pod-validation.ts";

const nodeTaints = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/** The fields of a Volume that are no source. */
const volumeOwn = new Set(["name"]);

export const pod: Kind = {
  group: "",
  resource: "pods",
  generation: specOf,
  newStatus: { phase: "Pending" },
  defaults: {
    "io.k8s.api.core.v1.Container": defaultContainer,
    "io.k8s.api.core.v1.EphemeralContainer": defaultContainer,
    "io.k8s.api.core.v1.PodSpec": defaultPodSpec,
    "io.k8s.api.core.v1.Pod": defaultPod,
    "io.k8s.api.core.v1.PodStatus": defaultPodStatus,
    "io.k8s.api.core.v1.Volume": defaultVolume,
    "io.k8s.api.core.v1.ImageVolumeSource": defaultImageVolume,
  },
  prepare: preparePod,
  validate: validatePod,
  warnings: podCreationWarnings,
  cells: podCells,
  rowConditions: podRowConditions,
  selectors: {
    ...fieldsAt(
      "spec.nodeName",
      "spec.restartPolicy",
      "spec.schedulerName",
      "spec.serviceAccountName",
      "status.phase",
      "status.podIP",
      "status.podIPs",
      "status.nominatedNodeName",
    ),
    "spec.hostNetwork": fieldAt("spec.hostNetwork", "false"),
  },
  deletion: {
    graceSeconds,
    endsMarked: true,
    answersObject: true,
  },
  hook: ({ store }) => podHook(store),
};

/** What runs is given time to end (pkg/registry/core/pod strategy.CheckGracefulDelete). */
function graceSeconds(object: KubeObject, asked: number | undefined): number {
  const { nodeName, terminationGracePeriodSeconds: wanted } = objectAt(object, "spec") ?? {};
  const phase = textAt(object, "status", "phase");
  if (!nodeName || phase === "Succeeded" || phase === "Failed") return 0;
  const seconds = Math.max(asked ?? (typeof wanted === "number" ? wanted : 30), 0);
  return Math.min(seconds, object.metadata.deletionGracePeriodSeconds ?? seconds);
}

/** `:latest`, and no tag at all unless there is a digest, is always pulled. */
function pullPolicyOf(image: string): string {
  const name = image.slice(image.lastIndexOf("/") + 1);
  const tag = name.split("@")[0]?.split(":")[1];
  if (image === "") return "IfNotPresent";
  return tag === "latest" || (tag === undefined && !name.includes("@")) ? "Always" : "IfNotPresent";
}

function defaultContainer(fields: JsonObject): void {
  fields.imagePullPolicy ??= pullPolicyOf(textAt(fields, "image"));
}

/** The old name and the new one are the same field. */
function defaultPodSpec(fields: JsonObject): void {
  const account = fields.serviceAccountName ?? fields.serviceAccount;
  if (account === undefined) return;
  fields.serviceAccountName = account;
  fields.serviceAccount = account;
}

function defaultPod(fields: JsonObject): void {
  const spec: JsonObject = { enableServiceLinks: true, ...objectAt(fields, "spec") };
  for (const list of ["containers", "initContainers"])
    if (Array.isArray(spec[list]))
      spec[list] = listAt(spec, list).map((item) =>
        isObject(item) ? podContainer(item, spec.hostNetwork === true) : item,
      );
  fields.spec = spec;
}

/** Only in a Pod itself, not in templates: limits stand in for requests, host ports follow the container's. */
function podContainer(item: JsonObject, hostNetwork: boolean): JsonObject {
  const limits = objectAt(item, "resources", "limits");
  const requests = { ...limits, ...objectAt(item, "resources", "requests") };
  const out: JsonObject = limits
    ? { ...item, resources: { ...objectAt(item, "resources"), requests } }
    : { ...item };
  if (hostNetwork && Array.isArray(item.ports))
    out.ports = item.ports.map((port) => (isObject(port) ? { hostPort: port.containerPort, ...port } : port));
  return out;
}

function defaultPodStatus(fields: JsonObject): void {
  const ips = listAt(fields, "podIPs");
  if (ips.length === 0 && textAt(fields, "podIP")) fields.podIPs = [{ ip: fields.podIP }];
  else if (ips.length > 0) fields.podIP ??= textAt(ips[0], "ip");
}

function defaultVolume(fields: JsonObject): void {
  if (Object.keys(fields).every((key) => volumeOwn.has(key))) fields.emptyDir = {};
}

function defaultImageVolume(fields: JsonObject): void {
  const reference = textAt(fields, "reference");
  fields.pullPolicy ??= pullPolicyOf(reference);
}

/**
 * A Pod gets what admission plugins on by default give it: Priority, which an update may leave out, and
 * DefaultTolerationSeconds. A new one is Pending; its QoS class never changes.
 */
function preparePod(object: KubeObject, previous: KubeObject | undefined): KubeObject {
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

function podCreationWarnings(object: KubeObject, previous: KubeObject | undefined): string[] {
  return previous === undefined ? podWarnings(objectAt(object, "spec") ?? {}, "spec") : [];
}
