import { badRequest } from "../objects/failures.ts";
import type { Registry } from "../registry/registry.ts";
import type { Served } from "../registry/served.ts";

export interface ResourcePath {
  served: Served;
  namespace: string;
  name: string;
  subresource: string;
  /** The old /watch/ prefix. */
  isWatch: boolean;
}

/**
 * Reads /api/v1/… and /apis/<group>/<version>/… as apiserver's RequestInfoFactory does. "missing" where the
 * version is served but not this, undefined where nothing lives.
 */
export function parseResourcePath(registry: Registry, path: string): ResourcePath | "missing" | undefined {
  const parts = path.split("/").slice(1).map(decodePart);
  if (parts.at(-1) === "") parts.pop();
  const root = parts.shift();
  const group = root === "api" ? "" : parts.shift();
  const version = parts.shift();
  if ((root !== "api" && root !== "apis") || group === undefined || version === undefined) return undefined;
  if (!registry.group(group)?.versions.some((candidate) => candidate.version === version)) return undefined;
  const isWatch = parts[0] === "watch";
  if (isWatch) parts.shift();
  let namespace = "";
  if (parts[0] === "namespaces" && parts.length > 2 && !isNamespacePart(parts[2])) {
    namespace = parts[1] ?? "";
    parts.splice(0, 2);
  }
  const [resource = "", name = "", subresource = "", ...rest] = parts;
  const served = registry.find(group, version, resource);
  if (served === undefined) return "missing";
  const { namespaced } = served.info;
  if (!namespaced && namespace !== "") return "missing";
  if (namespaced && namespace === "" && name !== "") return "missing";
  if (rest.length > 0 && subresource !== "proxy") return "missing";
  return { served, namespace, name, subresource, isWatch };
}

function isNamespacePart(part: string | undefined): boolean {
  return part === "status" || part === "finalize";
}

function decodePart(part: string): string {
  if (!part.includes("%")) return part;
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    throw badRequest(`the path is not a valid URL: invalid escape in ${JSON.stringify(part.slice(0, 100))}`);
  }
}
