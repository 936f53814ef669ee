import { createHash } from "node:crypto";
import { noSuchResource } from "../objects/failures.ts";
import type { Registry, ServedGroup, ServedVersion } from "../registry/registry.ts";
import { apiVersionOf, type Served } from "../registry/served.ts";
import type { ApiResponse } from "../types.ts";
import { answerJson, answerNoPage } from "./answer.ts";
import type { Call } from "./call.ts";
import { parseAccept } from "./negotiate.ts";

/** Answers everything under /api and /apis that names no resource; undefined for paths that are none of these. */
export function discover(registry: Registry, { request, path }: Call): ApiResponse | undefined {
  const [root, ...rest] = path.split("/").filter((part) => part !== "");
  if (root === "api") {
    if (rest.length === 0)
      return aggregated(request.headers.accept, [registry.group("")]) ?? answerJson(coreVersions());
    return rest.length === 1 ? describeVersion(registry, "", rest[0]) : undefined;
  }
  if (root !== "apis") return undefined;
  const named = registry.groups().filter(({ group }) => group !== "");
  if (rest.length === 0)
    return (
      aggregated(request.headers.accept, named) ??
      answerJson({ kind: "APIGroupList", apiVersion: "v1", groups: named.map(describeGroup) })
    );
  const group = registry.group(rest[0] ?? "");
  if (rest.length > 2) return undefined;
  if (group === undefined || group.group === "") return answerNoPage();
  if (rest.length === 1) return answerJson({ kind: "APIGroup", apiVersion: "v1", ...describeGroup(group) });
  return describeVersion(registry, group.group, rest[1]);
}

function coreVersions(): Record<string, unknown> {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: "" }],
  };
}

function describeGroup({ group, versions }: ServedGroup): Record<string, unknown> {
  const described = versions.map(({ version }) => ({ groupVersion: apiVersionOf(group, version), version }));
  return { name: group, versions: described, preferredVersion: described[0] };
}

function describeVersion(registry: Registry, group: string, version: string | undefined): ApiResponse {
  const found = registry.group(group)?.versions.find((candidate) => candidate.version === version);
  if (found === undefined && group === "") throw noSuchResource();
  if (found === undefined) return answerNoPage();
  return answerJson({
    kind: "APIResourceList",
    ...(group && { apiVersion: "v1" }),
    groupVersion: apiVersionOf(group, found.version),
    resources: found.resources.flatMap(describeResource),
  });
}

function describeResource({ info }: Served): Record<string, unknown>[] {
  const { namespaced, shortNames, categories } = info;
  const whole = {
    name: info.resource,
    singularName: info.singular,
    namespaced,
    kind: info.kind,
    verbs: info.verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(info.verbs.includes("list") && { storageVersionHash: storageVersionHash(info) }),
  };
  const parts = info.subresources.map(({ name, kind, group, version, verbs }) => ({
    name: `${info.resource}/${name}`,
    singularName: "",
    namespaced,
    ...((group !== info.group || version !== info.version) && { group, version }),
    kind,
    verbs,
  }));
  return [whole, ...parts];
}

/** Opaque to clients; equal for equal storage (apiserver pkg/endpoints/discovery/storageversionhash.go). */
function storageVersionHash({ group, storageVersion, kind }: Served["info"]): string {
  const digest = createHash("sha256").update(`${group}/${storageVersion}/${kind}`).digest();
  return digest.subarray(0, 8).toString("base64");
}

const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=";

/** All of discovery in one document, for clients that ask for it (KEP-3352). */
function aggregated(
  accept: string | undefined,
  groups: readonly (ServedGroup | undefined)[],
): ApiResponse | undefined {
  for (const { media, parameters } of parseAccept(accept)) {
    if (media !== "application/json") continue;
    if (parameters.get("as") !== "APIGroupDiscoveryList") return undefined;
    const version = parameters.get("v") ?? "";
    if (version !== "v2" && version !== "v2beta1") continue;
    const items = groups.flatMap((group) => (group === undefined ? [] : [discoverGroup(group)]));
    const response = answerJson({
      kind: "APIGroupDiscoveryList",
      apiVersion: `apidiscovery.k8s.io/${version}`,
      metadata: {},
      items,
    });
    response.headers["content-type"] = `${aggregatedType}${version};as=APIGroupDiscoveryList`;
    response.headers.vary = "Accept";
    return response;
  }
  return undefined;
}

function discoverGroup({ group, versions }: ServedGroup): Record<string, unknown> {
  return { metadata: group === "" ? {} : { name: group }, versions: versions.map(discoverVersion) };
}

function discoverVersion({ version, resources }: ServedVersion): Record<string, unknown> {
  return { version, resources: resources.map(discoverResource), freshness: "Current" };
}

function discoverResource({ info }: Served): Record<string, unknown> {
  const { group, version, kind, shortNames, categories, subresources } = info;
  return {
    resource: info.resource,
    responseKind: { group, version, kind },
    scope: info.namespaced ? "Namespaced" : "Cluster",
    singularResource: info.singular,
    verbs: info.verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(subresources.length > 0 && {
      subresources: subresources.map((part) => ({
        subresource: part.name,
        responseKind: { group: part.group, version: part.version, kind: part.kind },
        verbs: part.verbs,
      })),
    }),
  };
}
