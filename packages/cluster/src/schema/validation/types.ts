import { isObject, type JsonObject } from "../json.ts";
import type { ResolvedSchema } from "../resolved-schema.ts";
import type { Report } from "./report.ts";

/** Where kube-apiserver does not hold the kind to what the schema says; fields as "DaemonSetSpec.selector". */
export interface TypeRules {
  /** Required by the schema alone. */
  readonly notRequired?: readonly string[];
  /** Values that OpenAPI does not carry, or that are listed otherwise than by the alphabet; none where `validate` tells. */
  readonly enums?: Readonly<Record<string, readonly string[]>>;
}

/**
 * What the types alone tell: enums, and texts, objects and lists that are required. Where a hand-written rule has
 * spoken about a field, or about what holds it, nothing is added.
 */
export function validateTypes(
  report: Report,
  schema: ResolvedSchema,
  { object, rules }: { object: JsonObject; rules: TypeRules },
): void {
  for (const [key, value] of Object.entries(object)) {
    if (key === "status" || key === "metadata" || key === "apiVersion" || key === "kind") continue;
    const below = schema.property(key);
    if (below) walk(report, below, { value, field: key, owner: schema.goName, rules });
  }
  validateRequired(report, schema, { value: object, field: "", owner: "", rules });
}

interface Place {
  value: unknown;
  field: string;
  /** The struct that holds the field, "Container"; spells some enums in an order of their own. */
  owner: string;
  rules: TypeRules;
}

const opaque = new Set(["RawExtension", "JSON", "JSONSchemaProps", "FieldsV1", "ObjectMeta"]);

function walk(report: Report, schema: ResolvedSchema, place: Place): void {
  const { value, field } = place;
  if (Array.isArray(value)) {
    const items = schema.items;
    for (const [index, item] of value.entries())
      if (items) walk(report, items, { ...place, value: item, field: `${field}[${index}]` });
    return;
  }
  if (typeof value === "string") validateEnum(report, schema, place);
  if (!isObject(value) || opaque.has(schema.goName)) return;
  for (const [key, item] of Object.entries(value)) {
    const declared = schema.property(key);
    const below = declared ?? schema.values;
    const path = declared ? `${field}.${key}` : `${field}[${key}]`;
    if (below) walk(report, below, { ...place, value: item, field: path, owner: schema.goName });
  }
  validateRequired(report, schema, place);
}

/** Of what is part of several kinds. */
const commonEnums: Readonly<Record<string, readonly string[]>> = {
  "PodSpec.restartPolicy": ["Always", "OnFailure", "Never"],
  "PodSpec.dnsPolicy": ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"],
  "Container.terminationMessagePolicy": ["File", "FallbackToLogsOnError"],
  "Toleration.effect": ["NoSchedule", "PreferNoSchedule", "NoExecute"],
};

function validateEnum(report: Report, schema: ResolvedSchema, { value, field, owner, rules }: Place): void {
  const key = `${owner}.${lastName(field)}`;
  const listed = rules.enums?.[key] ?? commonEnums[key];
  const allowed = listed ?? schema.schema.enum ?? [];
  if (allowed.length === 0 || value === "" || allowed.includes(value) || report.covers(field)) return;
  const sorted = allowed
    .filter((item) => item !== "")
    .map(String)
    .sort();
  report.unsupported(field, value, listed ?? sorted);
}

/** "image" of "spec.containers[0].image", "args" of "args[0]". */
function lastName(field: string): string {
  const name = field.slice(field.lastIndexOf(".") + 1);
  const index = name.indexOf("[");
  return index < 0 ? name : name.slice(0, index);
}

function validateRequired(report: Report, schema: ResolvedSchema, { value, field, rules }: Place): void {
  if (!isObject(value)) return;
  for (const name of schema.schema.required ?? []) {
    const child = schema.property(name);
    const present = value[name];
    const missing = present === undefined || present === null || present === "";
    const path = field ? `${field}.${name}` : name;
    const isOptional = rules.notRequired?.includes(`${schema.goName}.${name}`) ?? false;
    if (!missing || !child || !isCheckable(child) || isOptional) continue;
    if (!report.covers(path)) report.required(path);
  }
}

/** Numbers and booleans are never missing in Go. */
function isCheckable(schema: ResolvedSchema): boolean {
  if (schema.goName === "Time" || schema.goName === "MicroTime" || schema.goName === "Quantity") return false;
  return schema.type === "string" || schema.type === "object" || schema.type === "array";
}
