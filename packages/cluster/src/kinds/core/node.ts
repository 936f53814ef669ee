import { nodeHook } from "../../admission/nodes.ts";
import { fieldAt } from "../../registry/selectable-fields.ts";
import { type JsonObject, listAt, objectAt, sameJson, textAt, valueAt } from "../../schema/json.ts";
import { conditionOf, text, textOr } from "../../schema/tables/cells.ts";
import { addressRange, labelValue, qualifiedName } from "../../schema/validation/names.ts";
import type { Report } from "../../schema/validation/report.ts";
import { without } from "../../schema/without-fields.ts";
import type { KubeObject } from "../../types.ts";
import { firstNodeKey, simulatedNode } from "../../workloads/pods/simulated-node.ts";
import type { Kind } from "../kind.ts";

const featureName = /^[A-Z][A-Za-z0-9]*(?:\/[A-Z][A-Za-z0-9]*)*$/;

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

const rolePrefix = "node-role.kubernetes.io/";

export const node: Kind = {
  group: "",
  resource: "nodes",
  enums: { "Taint.effect": [] },
  storageKey: "minions",
  newStatus: "sent",
  defaults: {
    "io.k8s.api.core.v1.NodeSpec": defaultNodeSpec,
    "io.k8s.api.core.v1.NodeStatus": defaultNodeStatus,
  },
  prepare: (object: KubeObject): KubeObject =>
    without(without(object, ["configSource"]), ["config"], "status"),
  validate: validateNode,
  warnings: nodeWarnings,
  cells: {
    Status: nodeStatus,
    Roles: nodeRoles,
    Version: text("status", "nodeInfo", "kubeletVersion"),
    "Internal-IP": (object) => nodeAddress(object, "InternalIP"),
    "External-IP": (object) => nodeAddress(object, "ExternalIP"),
    "OS-Image": textOr("<unknown>", "status", "nodeInfo", "osImage"),
    "Kernel-Version"(object) {
      const kernel = textAt(object, "status", "nodeInfo", "kernelVersion") || "<unknown>";
      const architecture = textAt(object, "status", "nodeInfo", "architecture");
      return architecture ? `${kernel} (${architecture})` : kernel;
    },
    "Container-Runtime": textOr("<unknown>", "status", "nodeInfo", "containerRuntimeVersion"),
  },
  selectors: { "spec.unschedulable": fieldAt("spec.unschedulable", "false") },
  hook: () => nodeHook,
  simulation: { make: simulatedNode, firstKeys: [firstNodeKey] },
};

/** pkg/apis/core/v1 conversion: the old field is the first of the new. */
function defaultNodeSpec(fields: JsonObject): void {
  if (textAt(fields, "podCIDR")) fields.podCIDRs ??= [textAt(fields, "podCIDR")];
  else if (typeof listAt(fields, "podCIDRs")[0] === "string") fields.podCIDR = listAt(fields, "podCIDRs")[0];
}

function defaultNodeStatus(fields: JsonObject): void {
  if (fields.capacity !== undefined) fields.allocatable ??= fields.capacity;
}

function nodeStatus(node: KubeObject): string {
  const ready = conditionOf(node, "Ready");
  const words = ready ? [textAt(ready, "status") === "True" ? "Ready" : "NotReady"] : ["Unknown"];
  if (valueAt(node, "spec", "unschedulable") === true) words.push("SchedulingDisabled");
  return words.join(",");
}

function nodeRoles(node: KubeObject): string {
  const roles = new Set<string>();
  for (const [label, value] of Object.entries(node.metadata.labels ?? {})) {
    if (label.startsWith(rolePrefix) && label.length > rolePrefix.length)
      roles.add(label.slice(rolePrefix.length));
    else if (label === "kubernetes.io/role" && value) roles.add(value);
  }
  return [...roles].sort().join(",") || "<none>";
}

function nodeAddress(node: KubeObject, type: string): string {
  const found = listAt(node, "status", "addresses").find((address) => textAt(address, "type") === type);
  return textAt(found, "address") || "<none>";
}

/** pkg/apis/core/validation ValidateNode and ValidateNodeUpdate: taints are reported below metadata there. */
function validateNode(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  validateTaints(report, listAt(object, "spec", "taints"));
  validateFeatures(report, object);
  for (const [index, range] of listAt(object, "spec", "podCIDRs").entries())
    report.syntax(`spec.podCIDRs[${index}]`, `${range}`, addressRange(`${range}`));
  const before = objectAt(previous, "spec");
  const now = objectAt(object, "spec");
  const ranges = listAt(before, "podCIDRs");
  if (ranges.length > 0 && !sameJson(ranges, listAt(now, "podCIDRs")))
    report.forbidden("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid');
  const provider = textAt(before, "providerID");
  if (provider && provider !== textAt(now, "providerID"))
    report.forbidden("spec.providerID", 'node updates may not change providerID except from "" to valid');
  if (before && textAt(before, "externalID") !== textAt(now, "externalID"))
    report.forbidden("spec.externalID", "may not be updated");
}

function validateTaints(report: Report, taints: readonly unknown[]): void {
  const seen = new Set<string>();
  for (const [index, taint] of taints.entries()) {
    const field = `metadata.taints[${index}]`;
    const [key, value, effect] = [textAt(taint, "key"), textAt(taint, "value"), textAt(taint, "effect")];
    report.syntax(`${field}.key`, key, qualifiedName(key));
    report.syntax(`${field}.value`, value, labelValue(value));
    if (!effect) report.required(`${field}.effect`);
    else if (!effects.includes(effect)) report.unsupported(`${field}.effect`, effect, effects);
    const printed = { Key: key, Value: value, Effect: effect, TimeAdded: objectAt(taint)?.timeAdded ?? null };
    if (seen.has(`${key} ${effect}`))
      report.duplicate(field, printed, "taints must be unique by key and effect pair");
    seen.add(`${key} ${effect}`);
  }
}

/** pkg/apis/core/validation validateNodeDeclaredFeatures, as far as a name alone tells. */
function validateFeatures(report: Report, object: KubeObject): void {
  for (const [index, name] of listAt(object, "status", "declaredFeatures").entries())
    if (!featureName.test(`${name}`))
      report.invalid(
        `status.declaredFeatures[${index}]`,
        name,
        `invalid feature name ${JSON.stringify(name)}: must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes`,
      );
}

function nodeWarnings(object: KubeObject): string[] {
  const spec = objectAt(object, "spec");
  return [
    ...(spec?.configSource === undefined ? [] : ["spec.configSource: the feature is no longer supported"]),
    ...(textAt(spec, "externalID") === ""
      ? []
      : ["spec.externalID: this field is deprecated, and is unused by Kubernetes"]),
  ];
}
