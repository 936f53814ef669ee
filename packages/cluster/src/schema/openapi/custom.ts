import type { KubeObject, ResourceInfo } from "../../types.ts";
import { isObject, type JsonObject, listAt, objectAt, textAt, valueAt } from "../json.ts";
import { documentedTypes } from "./documents.ts";

/** What one CRD adds to the documents of one of its group versions. */
export interface CustomTypes {
  info: ResourceInfo;
  type: string;
  listType: string;
  schemas: Readonly<Record<string, JsonObject>>;
}

const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });
const metaPrefix = "io.k8s.apimachinery.pkg.apis.meta.v1.";
const made = new WeakMap<KubeObject, CustomTypes[]>();

/** One entry for each served version. Kept per object: a changed CRD is another object. */
export function customTypesOf(crd: KubeObject): readonly CustomTypes[] {
  let types = made.get(crd);
  if (!types) {
    types = listAt(crd, "spec", "versions")
      .filter((row) => valueAt(row, "served") === true)
      .map((row) => makeTypes(crd, row));
    made.set(crd, types);
  }
  return types;
}

const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

function makeTypes(crd: KubeObject, row: unknown): CustomTypes {
  const group = textAt(crd, "spec", "group");
  const version = textAt(row, "name");
  const names = objectAt(crd, "spec", "names");
  const kind = textAt(names, "kind");
  const listKind = textAt(names, "listKind") || `${kind}List`;
  const prefix = `${group.split(".").reverse().join(".")}.${version}.`;
  const info: ResourceInfo = {
    group,
    version,
    kind,
    resource: textAt(names, "plural"),
    singular: textAt(names, "singular"),
    namespaced: textAt(crd, "spec", "scope") === "Namespaced",
    shortNames: [],
    categories: [],
    verbs,
    subresources: subresourcesOf(row, { group, version, kind }),
    storageVersion: version,
  };
  const gvk = (name: string): JsonObject[] => [{ group, version, kind: name }];
  const own = objectAt(row, "schema", "openAPIV3Schema") ?? {
    type: "object",
    "x-kubernetes-preserve-unknown-fields": true,
  };
  const type = `${prefix}${kind}`;
  const listType = `${prefix}${listKind}`;
  return {
    info,
    type,
    listType,
    schemas: {
      [type]: { ...withRootFields(own), "x-kubernetes-group-version-kind": gvk(kind) },
      [listType]: listOf(type, gvk(listKind)),
    },
  };
}

function subresourcesOf(
  row: unknown,
  own: { group: string; version: string; kind: string },
): ResourceInfo["subresources"] {
  const below = objectAt(row, "subresources") ?? {};
  const some = ["get", "patch", "update"];
  return [
    ...(isObject(below.status) ? [{ name: "status", verbs: some, ...own }] : []),
    ...(isObject(below.scale)
      ? [{ name: "scale", verbs: some, group: "autoscaling", version: "v1", kind: "Scale" }]
      : []),
  ];
}

/** Any built-in kind says of these fields what kube-apiserver says of them in a custom one. */
function rootField(name: "apiVersion" | "kind"): JsonObject {
  return objectAt(documentedTypes()["io.k8s.api.core.v1.ConfigMap"], "properties", name) ?? {};
}

function withRootFields(schema: JsonObject): JsonObject {
  const properties = objectAt(schema, "properties") ?? {};
  const described = objectAt(documentedTypes()["io.k8s.api.core.v1.ConfigMap"], "properties", "metadata");
  const metadata = { description: textAt(described, "description"), allOf: [ref(`${metaPrefix}ObjectMeta`)] };
  const root = { apiVersion: rootField("apiVersion"), kind: rootField("kind"), metadata };
  return { ...schema, properties: { ...properties, ...root } };
}

function listOf(type: string, gvk: JsonObject[]): JsonObject {
  return {
    type: "object",
    required: ["items"],
    properties: {
      apiVersion: rootField("apiVersion"),
      items: { type: "array", items: { allOf: [ref(type)] } },
      kind: rootField("kind"),
      metadata: { allOf: [ref(`${metaPrefix}ListMeta`)] },
    },
    "x-kubernetes-group-version-kind": gvk,
  };
}
