import { isObject, type JsonObject } from "../json.ts";
import type { ResolvedSchema } from "../resolved-schema.ts";
import type { Report } from "./report.ts";

/**
 * What the types alone tell: enums, and texts, objects and lists that are required. Where a hand-written rule has
 * spoken about a field, or about what holds it, nothing is added.
 */
export function validateTypes(report: Report, schema: ResolvedSchema, object: JsonObject): void {
  for (const [key, value] of Object.entries(object)) {
    if (key === "status" || key === "metadata" || key === "apiVersion" || key === "kind") continue;
    const below = schema.property(key);
    if (below) walk(report, below, { value, field: key, owner: schema.goName });
  }
  validateRequired(report, schema, { value: object, field: "", owner: "" });
}

interface Place {
  value: unknown;
  field: string;
  /** The struct that holds the field, "Container"; spells some enums in an order of their own. */
  owner: string;
}

const opaque = new Set(["RawExtension", "JSON", "JSONSchemaProps", "FieldsV1", "ObjectMeta"]);

function walk(report: Report, schema: ResolvedSchema, place: Place): void {
  const { value, field } = place;
  if (Array.isArray(value)) {
    const items = schema.items;
    for (const [index, item] of value.entries())
      if (items) walk(report, items, { value: item, field: `${field}[${index}]`, owner: place.owner });
    return;
  }
  if (typeof value === "string") validateEnum(report, schema, place);
  if (!isObject(value) || opaque.has(schema.goName)) return;
  for (const [key, item] of Object.entries(value)) {
    const declared = schema.property(key);
    const below = declared ?? schema.values;
    const path = declared ? `${field}.${key}` : `${field}[${key}]`;
    if (below) walk(report, below, { value: item, field: path, owner: schema.goName });
  }
  validateRequired(report, schema, place);
}

/** Enums that OpenAPI does not carry, or whose values the API server lists otherwise than by the alphabet. */
const enumOrder: Readonly<Record<string, readonly string[]>> = {
  "PodSpec.restartPolicy": ["Always", "OnFailure", "Never"],
  "PodSpec.dnsPolicy": ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"],
  "Container.terminationMessagePolicy": ["File", "FallbackToLogsOnError"],
  "Toleration.effect": ["NoSchedule", "PreferNoSchedule", "NoExecute"],
  "JobSpec.completionMode": ["NonIndexed", "Indexed"],
  "NetworkPolicySpec.policyTypes": ["Ingress", "Egress"],
  "NetworkPolicyPort.protocol": ["TCP", "UDP", "SCTP"],
  "PriorityClass.preemptionPolicy": ["PreemptLowerPriority", "Never"],
  "StorageClass.reclaimPolicy": ["Delete", "Retain"],
};

/** Reported elsewhere: taints of a node below its metadata. */
const toldElsewhere = new Set(["Taint.effect"]);

function validateEnum(report: Report, schema: ResolvedSchema, { value, field, owner }: Place): void {
  const key = `${owner}.${(field.split(".").at(-1) ?? "").replace(/\[.*$/, "")}`;
  const allowed = enumOrder[key] ?? schema.schema.enum;
  if (!allowed || toldElsewhere.has(key) || value === "" || allowed.includes(value) || report.covers(field))
    return;
  const sorted = allowed
    .filter((item) => item !== "")
    .map(String)
    .sort();
  report.unsupported(field, value, enumOrder[key] ?? sorted);
}

/** Fields that the schema requires and the API server does not. */
const notRequired = new Set([
  "EnvVar.value",
  "StatefulSetSpec.serviceName",
  "RoleRef.apiGroup",
  "DaemonSetSpec.selector",
  "EndpointSlice.endpoints",
  "LimitRangeSpec.limits",
  "CSINodeSpec.drivers",
  "FlowSchemaSpec.priorityLevelConfiguration",
]);

function validateRequired(report: Report, schema: ResolvedSchema, { value, field }: Place): void {
  if (!isObject(value)) return;
  for (const name of schema.schema.required ?? []) {
    const child = schema.property(name);
    const present = value[name];
    const missing = present === undefined || present === null || present === "";
    const path = field ? `${field}.${name}` : name;
    if (!missing || !child || !isCheckable(child) || notRequired.has(`${schema.goName}.${name}`)) continue;
    if (!report.covers(path)) report.required(path);
  }
}

/** Numbers and booleans are never missing in Go. */
function isCheckable(schema: ResolvedSchema): boolean {
  if (schema.goName === "Time" || schema.goName === "MicroTime" || schema.goName === "Quantity") return false;
  return schema.type === "string" || schema.type === "object" || schema.type === "array";
}
