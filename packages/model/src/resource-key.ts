import type { Manifest } from "./manifest.ts";

/** What an object is, apart from its API version. */
export interface ResourceKey {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}

export function versionOf(apiVersion: string): string {
  return apiVersion.slice(apiVersion.indexOf("/") + 1);
}

export function apiVersionOf(group: string, version: string): string {
  return group === "" ? version : `${group}/${version}`;
}

export function keyOf(manifest: Manifest): ResourceKey {
  return {
    group: groupOf(manifest.apiVersion),
    kind: manifest.kind,
    namespace: manifest.metadata.namespace ?? "",
    name: manifest.metadata.name ?? "",
  };
}

/** As people read it: "apps/Deployment default/web", "ConfigMap default/settings", "Namespace web". */
export function formatKey({ group, kind, namespace, name }: ResourceKey): string {
  const type = group === "" ? kind : `${group}/${kind}`;
  return `${type} ${namespace === "" ? name : `${namespace}/${name}`}`;
}

/** As a map key: no two keys give the same text, since none of the parts may contain a slash. */
export function keyText({ group, kind, namespace, name }: ResourceKey): string {
  return `${group}/${kind}/${namespace}/${name}`;
}

export function sameKey(left: ResourceKey, right: ResourceKey): boolean {
  return (
    left.name === right.name &&
    left.kind === right.kind &&
    left.namespace === right.namespace &&
    left.group === right.group
  );
}
