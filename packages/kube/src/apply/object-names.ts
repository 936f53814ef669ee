import { groupOf, type Manifest } from "@capstan/model";
import type { ObjectRef } from "../client/kube-client.ts";

export function refOf({ apiVersion, kind, metadata }: Manifest): ObjectRef {
  return { apiVersion, kind, namespace: metadata.namespace, name: metadata.name ?? "" };
}

/** As kubectl calls it: deployment.apps/web */
export function nameOf({ apiVersion, kind, metadata }: Manifest): string {
  const group = groupOf(apiVersion);
  return `${kind.toLowerCase()}${group === "" ? "" : `.${group}`}/${metadata.name}`;
}
