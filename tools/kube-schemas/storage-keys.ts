import { type Json, text } from "./json.ts";

/** The storage prefixes that are not simply the resource's name. */
const prefixes: Readonly<Record<string, string>> = {
  services: "services/specs",
  endpoints: "services/endpoints",
  nodes: "minions",
  ingresses: "ingress",
  replicationcontrollers: "controllers",
  customresourcedefinitions: "apiextensions.k8s.io/customresourcedefinitions",
  apiservices: "apiregistration.k8s.io/apiservices",
};

/** Where kube-apiserver keeps an object in etcd. */
export function storageKey(resource: Json, name: string): string {
  const plural = text(resource.resource);
  return `/registry/${prefixes[plural] ?? plural}/${resource.namespaced ? "default/" : ""}${name}`;
}

/** Where the API serves it; in namespace default where it has one. */
export function objectPath(resource: Json, name: string): string {
  const [group, version] = [text(resource.group), text(resource.version)];
  const root = group ? `/apis/${group}/${version}` : `/api/${version}`;
  return `${root}${resource.namespaced ? "/namespaces/default" : ""}/${text(resource.resource)}/${name}`;
}
