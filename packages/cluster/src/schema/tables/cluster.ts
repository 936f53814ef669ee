import type { KubeObject } from "../../types.ts";
import { isObject, listAt, numberAt, objectAt, textAt, valueAt } from "../json.ts";
import { printAge } from "./age.ts";
import { type Cells, conditionOf, count, flag, length, sizeOf, text, textOr } from "./cells.ts";

export const namespaceCells: Cells = { Status: text("status", "phase") };

export const configMapCells: Cells = {
  Data: (object) => sizeOf(object.data) + sizeOf(object.binaryData),
};

export const secretCells: Cells = { Type: text("type"), Data: length("data") };

export const nodeCells: Cells = {
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
};

function nodeStatus(node: KubeObject): string {
  const ready = conditionOf(node, "Ready");
  const words = ready ? [textAt(ready, "status") === "True" ? "Ready" : "NotReady"] : ["Unknown"];
  if (valueAt(node, "spec", "unschedulable") === true) words.push("SchedulingDisabled");
  return words.join(",");
}

const rolePrefix = "node-role.kubernetes.io/";

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

/** Both event kinds are one inside the API server; events.k8s.io spells the older fields "deprecated…". */
function eventField(event: KubeObject, name: string, newer: string): unknown {
  return event[name] ?? event[newer];
}

function firstSeen(event: KubeObject, now: number): string {
  const first = eventField(event, "firstTimestamp", "deprecatedFirstTimestamp");
  return printAge(first ?? event.eventTime, now);
}

function lastSeen(event: KubeObject, now: number): string {
  const series = objectAt(event, "series");
  if (series) return printAge(series.lastObservedTime, now);
  const last = eventField(event, "lastTimestamp", "deprecatedLastTimestamp");
  return last ? printAge(last, now) : firstSeen(event, now);
}

function involved(event: KubeObject): unknown {
  return eventField(event, "involvedObject", "regarding");
}

export const eventCells: Cells = {
  "Last Seen": lastSeen,
  Type: text("type"),
  Reason: text("reason"),
  Object(event) {
    const kind = textAt(involved(event), "kind").toLowerCase();
    const name = textAt(involved(event), "name");
    return name ? `${kind}/${name}` : kind;
  },
  Subobject: (event) => textAt(involved(event), "fieldPath"),
  Source(event) {
    const source = eventField(event, "source", "deprecatedSource");
    const controller = textAt(event, "reportingComponent") || textAt(event, "reportingController");
    const host = textAt(source, "host") || textAt(event, "reportingInstance");
    return [textAt(source, "component") || controller, host].filter(Boolean).join(", ");
  },
  Message: (event) => `${eventField(event, "message", "note") ?? ""}`.trim(),
  "First Seen": firstSeen,
  Count: (event) =>
    numberAt(event, "series", "count") || numberAt(event, "count") || numberAt(event, "deprecatedCount") || 1,
};

export const quotaCells: Cells = {
  Request: (object) => quota(object, false),
  Limit: (object) => quota(object, true),
};

function quota(object: KubeObject, limits: boolean): string {
  const hard = objectAt(object, "status", "hard") ?? {};
  const used = objectAt(object, "status", "used") ?? {};
  return Object.keys(hard)
    .sort()
    .filter((name) => name.startsWith("limits.") === limits)
    .map((name) => `${name}: ${used[name] ?? 0}/${hard[name]}`)
    .join(", ");
}

export const disruptionBudgetCells: Cells = {
  "Min Available": (object) => `${valueAt(object, "spec", "minAvailable") ?? "N/A"}`,
  "Max Unavailable": (object) => `${valueAt(object, "spec", "maxUnavailable") ?? "N/A"}`,
  "Allowed Disruptions": count("status", "disruptionsAllowed"),
};

export const priorityClassCells: Cells = {
  Value: count("value"),
  "Global-Default": flag("globalDefault"),
  PreemptionPolicy: text("preemptionPolicy"),
};

export const leaseCells: Cells = { Holder: text("spec", "holderIdentity") };

export const runtimeClassCells: Cells = { Handler: text("handler") };

export const apiServiceCells: Cells = {
  Service(object) {
    const service = objectAt(object, "spec", "service");
    return service ? `${textAt(service, "namespace")}/${textAt(service, "name")}` : "Local";
  },
  Available(object) {
    const condition = conditionOf(object, "Available");
    const status = textAt(condition, "status");
    const reason = textAt(condition, "reason");
    if (!condition) return "Unknown";
    return status === "True" || !reason ? status : `${status} (${reason})`;
  },
};

export const flowSchemaCells: Cells = {
  PriorityLevel: text("spec", "priorityLevelConfiguration", "name"),
  MatchingPrecedence: count("spec", "matchingPrecedence"),
  DistinguisherMethod: textOr("<none>", "spec", "distinguisherMethod", "type"),
  MissingPL: (object) => textAt(conditionOf(object, "Dangling"), "status") || "?",
};

export const priorityLevelCells: Cells = {
  Type: text("spec", "type"),
  NominalConcurrencyShares: (object) => limited(object, "nominalConcurrencyShares"),
  Queues: (object) => limited(object, "limitResponse", "queuing", "queues"),
  HandSize: (object) => limited(object, "limitResponse", "queuing", "handSize"),
  QueueLengthLimit: (object) => limited(object, "limitResponse", "queuing", "queueLengthLimit"),
};

function limited(object: KubeObject, ...path: readonly string[]): unknown {
  return numberAt(object, "spec", "limited", ...path) ?? "<none>";
}

export const componentStatusCells: Cells = {
  Status(object) {
    const healthy = listAt(object, "conditions").find((condition) => textAt(condition, "type") === "Healthy");
    if (!isObject(healthy)) return "Unknown";
    return healthy.status === "True" ? "Healthy" : "Unhealthy";
  },
  Message: (object) => textAt(listAt(object, "conditions")[0], "message"),
  Error: (object) => textAt(listAt(object, "conditions")[0], "error"),
};
