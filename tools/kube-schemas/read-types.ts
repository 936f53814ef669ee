import { isJson, type Json, list, member, text } from "./json.ts";
import { get, type Server } from "./server.ts";

const aggregated = "application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io";
/** Needs device drivers; nothing in the embedded cluster could act on it. */
const leftOut = new Set(["resource.k8s.io"]);

export async function readResources(server: Server): Promise<Json[]> {
  const rows: Json[] = [];
  for (const root of ["/api", "/apis"]) {
    for (const group of list(member(await get(server, root, aggregated), "items"))) {
      const groupName = text(member(group, "metadata", "name"));
      if (leftOut.has(groupName)) continue;
      for (const version of list(member(group, "versions"))) {
        const versionName = text(member(version, "version"));
        for (const resource of list(member(version, "resources")))
          rows.push(resourceRow(groupName, versionName, resource));
      }
    }
  }
  return rows;
}

function resourceRow(group: string, version: string, resource: unknown): Json {
  const subresources = list(member(resource, "subresources")).map((sub) => ({
    name: text(member(sub, "subresource")),
    kind: text(member(sub, "responseKind", "kind")),
    group: text(member(sub, "responseKind", "group")) || group,
    version: text(member(sub, "responseKind", "version")) || version,
    verbs: list(member(sub, "verbs")),
  }));
  return {
    group,
    version,
    kind: text(member(resource, "responseKind", "kind")),
    resource: text(member(resource, "resource")),
    singular: text(member(resource, "singularResource")),
    namespaced: member(resource, "scope") === "Namespaced",
    shortNames: list(member(resource, "shortNames")),
    categories: list(member(resource, "categories")),
    verbs: list(member(resource, "verbs")),
    subresources,
    storageVersion: version,
  };
}

/** The definitions of OpenAPI v3 of the given groups, "apis/apps/v1", in name order. */
export async function readDefinitions(
  server: Server,
  served: ReadonlySet<string>,
): Promise<Map<string, Json>> {
  const definitions = new Map<string, Json>();
  const paths = member(await get(server, "/openapi/v3"), "paths");
  for (const [path, entry] of Object.entries(isJson(paths) ? paths : {})) {
    if (!served.has(path)) continue;
    const document = await get(server, text(member(entry, "serverRelativeURL")));
    const schemas = member(document, "components", "schemas");
    for (const [name, schema] of Object.entries(isJson(schemas) ? schemas : {}))
      if (isJson(schema)) definitions.set(name, mergeKinds(definitions.get(name), schema));
  }
  return new Map([...definitions].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** DeleteOptions and WatchEvent belong to every group; each document names its own only. */
function mergeKinds(known: Json | undefined, schema: Json): Json {
  if (!known) return schema;
  const key = "x-kubernetes-group-version-kind";
  const kinds = new Map(
    [...list(known[key]), ...list(schema[key])].map((kind) => [JSON.stringify(kind), kind]),
  );
  return kinds.size ? { ...schema, [key]: [...kinds.values()] } : schema;
}

/** Splits a definition in its structure and its descriptions, keyed by the path of fields. */
export function splitDescriptions(
  schema: unknown,
  path: string,
  descriptions: Record<string, string>,
): unknown {
  if (Array.isArray(schema)) return schema.map((item) => splitDescriptions(item, path, descriptions));
  if (!isJson(schema)) return schema;
  const kept: Json = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === "description" && typeof value === "string") descriptions[path] = value;
    else if (key === "properties" && isJson(value))
      kept[key] = Object.fromEntries(
        Object.entries(value).map(([name, below]) => [
          name,
          splitDescriptions(below, path ? `${path}.${name}` : name, descriptions),
        ]),
      );
    else kept[key] = splitDescriptions(value, path, descriptions);
  }
  return kept;
}
