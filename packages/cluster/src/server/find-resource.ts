import type { Registry } from "../registry/registry.ts";
import type { Served } from "../registry/served.ts";
import type { ResourceParts } from "./request-info.ts";

/** "missing" where the version is served but not this, undefined where nothing lives. */
export function findResource(registry: Registry, parts: ResourceParts): Served | "missing" | undefined {
  const { group, version, namespace, resource, name, subresource, rest } = parts;
  if (!registry.group(group)?.versions.some((candidate) => candidate.version === version)) return undefined;
  const served = registry.find(group, version, resource);
  if (served === undefined) return "missing";
  const { namespaced } = served.info;
  if (!namespaced && namespace !== "") return "missing";
  if (namespaced && namespace === "" && name !== "") return "missing";
  if (rest.length > 0 && subresource !== "proxy") return "missing";
  return served;
}
