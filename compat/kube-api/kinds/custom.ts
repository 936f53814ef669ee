import type { JsonObject } from "../script.ts";
import type { Kind } from "./kind.ts";

const group = "compat.example.com";
const itemList = (type: string): JsonObject => ({
  type: "array",
  "x-kubernetes-list-type": type,
  ...(type === "map" && { "x-kubernetes-list-map-keys": ["name"] }),
  items:
    type === "set"
      ? { type: "string" }
      : {
          type: "object",
          required: ["name"],
          properties: { name: { type: "string" }, value: { type: "integer", default: 7 } },
        },
});
const spec = {
  type: "object",
  required: ["size"],
  properties: {
    size: { type: "integer", minimum: 1, maximum: 10 },
    mode: { type: "string", enum: ["Fast", "Slow"], default: "Fast" },
    host: { type: "string", pattern: "^[a-z]+$", maxLength: 8 },
    when: { type: "string", format: "date-time" },
    parts: itemList("map"),
    tags: itemList("set"),
    whole: itemList("atomic"),
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    either: { "x-kubernetes-int-or-string": true },
    labels: { type: "object", additionalProperties: { type: "string" } },
    nothing: { type: "string", nullable: true },
  },
};
const schema = {
  openAPIV3Schema: {
    type: "object",
    properties: { spec, status: { type: "object", properties: { phase: { type: "string" } } } },
  },
};
const columns = [
  { name: "Size", type: "integer", jsonPath: ".spec.size", description: "How big" },
  { name: "Phase", type: "string", jsonPath: ".status.phase", priority: 1 },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
];

function definition(kind: string, scope: string, version: JsonObject): JsonObject {
  const singular = kind.toLowerCase();
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${singular}s.${group}` },
    spec: {
      group,
      scope,
      names: {
        plural: `${singular}s`,
        singular,
        kind,
        listKind: `${kind}List`,
        shortNames: [singular.slice(0, 3)],
      },
      versions: [{ name: "v1", served: true, storage: true, schema, ...version }],
    },
  };
}

/** Laid into both clusters before the cases. */
export const definitions: readonly JsonObject[] = [
  definition("Widget", "Namespaced", {
    subresources: {
      status: {},
      scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" },
    },
    additionalPrinterColumns: columns,
    selectableFields: [{ jsonPath: ".spec.mode" }],
  }),
  definition("Gadget", "Cluster", {}),
];

const invalid = {
  "no size": { spec: { size: null } },
  "size over": { spec: { size: 11 } },
  "size under": { spec: { size: 0 } },
  "not in enum": { spec: { mode: "Odd" } },
  "not the pattern": { spec: { host: "A1" } },
  "too long": { spec: { host: "abcdefghijk" } },
  "not a time": { spec: { when: "x" } },
  "wrong type": { spec: { size: "x" } },
  "key missing": { spec: { parts: [{ value: 1 }] } },
  "key twice": { spec: { parts: [{ name: "a" }, { name: "a" }] } },
  "tag twice": { spec: { tags: ["a", "a"] } },
  "float in integer": { spec: { size: 1.5 } },
  "several at once": { spec: { size: 0, mode: "Odd", host: "A1" } },
  "spec is a text": { spec: "x" },
};

export const customKinds: readonly Kind[] = [
  {
    apiVersion: `${group}/v1`,
    kind: "Widget",
    resource: "widgets",
    content: { spec: { size: 1, parts: [{ name: "a" }] } },
    change: { spec: { size: 2 } },
    undecodable: { metadata: { labels: "x" } },
    invalid,
    status: { status: { phase: "Ready" } },
    scale: true,
    custom: true,
  },
  {
    apiVersion: `${group}/v1`,
    kind: "Gadget",
    resource: "gadgets",
    clusterWide: true,
    content: { spec: { size: 1 }, status: { phase: "Kept" } },
    change: { spec: { host: "abc", free: { a: { b: [1, null] } } } },
    undecodable: { metadata: { annotations: { a: 1 } } },
    invalid,
    custom: true,
  },
];
