import { groupOf, versionOf } from "@capstan/model";
import { type Item, identityOf } from "../item.ts";
import { isClusterScoped } from "./kube-scope.ts";

/** Why kustomize's library takes no such list: a resource is there twice (resmap Append, resid Equals). */
export function sameResource(items: readonly Item[]): string | undefined {
  const known = new Set<string>();
  for (const item of items) {
    const { apiVersion, kind, name, namespace } = identityOf(item);
    const gvk = [groupOf(apiVersion) || "~G", versionOf(apiVersion) || "~V", kind || "~K"].join("_");
    const key = [gvk, isClusterScoped(item) ? "" : namespace || "default", name].join("|");
    if (known.has(key)) {
      const id = [gvk, namespace || "~X", name || "~N"].join("|");
      return `may not add resource with an already registered id: ${id}`;
    }
    known.add(key);
  }
  return undefined;
}
