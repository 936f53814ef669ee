import type { ResourceInfo, SubresourceInfo } from "../../types.ts";
import type { JsonObject } from "../json.ts";

/**
 * The operations of one resource. kubectl reads them for two things: which kind a path serves (explain), and
 * whether a PATCH knows fieldValidation. They carry no more than that needs.
 */
export interface Served {
  info: ResourceInfo;
  /** The name of the type of an object, and of a list of them. */
  type: string;
  listType: string;
  /** Of a CRD: no strategic merge patch, which kubectl would otherwise send. */
  isCustom: boolean;
  /** The types of subresources whose kind differs. */
  typeOf(subresource: SubresourceInfo): string;
}

/** How one version of OpenAPI writes the parts of an operation. */
export interface Dialect {
  query(name: string, type: string): JsonObject;
  pathParameter(name: string): JsonObject;
  body(type: string, mediaTypes: readonly string[]): JsonObject;
  answer(type: string): JsonObject;
}

export function pathsOf(served: Served, dialect: Dialect): JsonObject {
  const { info } = served;
  const root = info.group ? `/apis/${info.group}/${info.version}` : `/api/${info.version}`;
  const within = info.namespaced ? `${root}/namespaces/{namespace}` : root;
  const collection = `${within}/${info.resource}`;
  const item = `${collection}/{name}`;
  const spaces = info.namespaced ? [dialect.pathParameter("namespace")] : [];
  const named = [dialect.pathParameter("name"), ...spaces];
  const paths: JsonObject = {};
  if (info.namespaced && info.verbs.includes("list"))
    paths[`${root}/${info.resource}`] = { get: operation(served, dialect, "list"), parameters: [] };
  const onAll = operations(served, dialect, ["list", "create", "deletecollection"]);
  if (Object.keys(onAll).length) paths[collection] = { ...onAll, parameters: spaces };
  const onOne = operations(served, dialect, ["get", "update", "patch", "delete"]);
  if (Object.keys(onOne).length) paths[item] = { ...onOne, parameters: named };
  for (const subresource of info.subresources) {
    const own = { ...info, ...subresource, resource: info.resource, kind: subresource.kind };
    const below = { ...served, info: own, type: served.typeOf(subresource), subresource: subresource.name };
    const found = operations(below, dialect, ["get", "create", "update", "patch"]);
    if (Object.keys(found).length) paths[`${item}/${subresource.name}`] = { ...found, parameters: named };
  }
  return paths;
}

const methods: Readonly<Record<string, { method: string; action: string }>> = {
  list: { method: "get", action: "list" },
  get: { method: "get", action: "get" },
  create: { method: "post", action: "post" },
  update: { method: "put", action: "put" },
  patch: { method: "patch", action: "patch" },
  delete: { method: "delete", action: "delete" },
  deletecollection: { method: "delete", action: "deletecollection" },
};

function operations(served: Served, dialect: Dialect, verbs: readonly string[]): JsonObject {
  const known = verbs.filter((verb) => served.info.verbs.includes(verb));
  return Object.fromEntries(known.map((verb) => [methods[verb]?.method, operation(served, dialect, verb)]));
}

const writeParameters = ["dryRun", "fieldManager", "fieldValidation"];
const parameters: Readonly<Record<string, readonly string[]>> = {
  list: [
    "allowWatchBookmarks",
    "continue",
    "fieldSelector",
    "labelSelector",
    "limit",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "timeoutSeconds",
    "watch",
  ],
  create: writeParameters,
  update: writeParameters,
  patch: [...writeParameters, "force"],
  delete: ["dryRun", "gracePeriodSeconds", "orphanDependents", "propagationPolicy"],
  deletecollection: ["continue", "dryRun", "fieldSelector", "labelSelector", "limit", "propagationPolicy"],
};
const parameterTypes: Readonly<Record<string, string>> = {
  allowWatchBookmarks: "boolean",
  sendInitialEvents: "boolean",
  watch: "boolean",
  force: "boolean",
  orphanDependents: "boolean",
  limit: "integer",
  timeoutSeconds: "integer",
  gracePeriodSeconds: "integer",
};

const patchTypes = [
  "application/apply-patch+yaml",
  "application/json-patch+json",
  "application/merge-patch+json",
];
const strategic = "application/strategic-merge-patch+json";
const metaPrefix = "io.k8s.apimachinery.pkg.apis.meta.v1.";

function operation(served: Served & { subresource?: string }, dialect: Dialect, verb: string): JsonObject {
  const { info, type, listType } = served;
  const words = [info.group.split(".")[0] || "core", info.version].map(capital).join("");
  const scope = info.namespaced ? "Namespaced" : "";
  const below = served.subresource ? capital(served.subresource) : "";
  const isDelete = verb === "delete" || verb === "deletecollection";
  const answered = verb === "list" ? listType : isDelete ? `${metaPrefix}Status` : type;
  return {
    tags: [`${info.group.split(".")[0] || "core"}_${info.version}`],
    operationId: `${verb}${words}${scope}${info.kind}${below}`,
    parameters: (parameters[verb] ?? []).map((name) => dialect.query(name, parameterTypes[name] ?? "string")),
    ...bodyOf(verb, served, dialect),
    responses: { 200: dialect.answer(answered), 401: { description: "Unauthorized" } },
    "x-kubernetes-action": methods[verb]?.action,
    "x-kubernetes-group-version-kind": { group: info.group, version: info.version, kind: info.kind },
  };
}

function bodyOf(verb: string, { type, isCustom }: Served, dialect: Dialect): JsonObject {
  if (verb === "create" || verb === "update") return dialect.body(type, ["*/*"]);
  if (verb === "patch")
    return dialect.body(`${metaPrefix}Patch`, isCustom ? patchTypes : [...patchTypes, strategic]);
  return verb.startsWith("delete") ? dialect.body(`${metaPrefix}DeleteOptions`, ["*/*"]) : {};
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
