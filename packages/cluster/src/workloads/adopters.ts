import { selectsLabels } from "@capstan/formats";
import type { KubeObject, Objects } from "../types.ts";
import { keyOf, type Watch } from "./controller.ts";
import type { LabelSelector } from "./kinds.ts";
import { controllerOf, ownerKeys } from "./owners.ts";

interface Selecting extends KubeObject {
  spec: { selector?: LabelSelector };
}

interface Owners {
  type: string;
  kind: string;
  apiVersion: string;
  /** Only for kinds whose selector is no LabelSelector. */
  selectorOf?(owner: KubeObject): LabelSelector | undefined;
}

/**
 * Changes of objects that such owners control or could adopt. Only one that nobody controls asks all owners of its
 * namespace.
 */
export function dependentChanges(objects: Objects, type: string, owners: Owners): Watch {
  return {
    type,
    keysOf(object) {
      if (controllerOf(object)) return ownerKeys(object, owners.kind, owners.apiVersion);
      const { namespace, labels, deletionTimestamp } = object.metadata;
      if (!labels || deletionTimestamp !== undefined) return [];
      const selectorOf = owners.selectorOf ?? (({ spec }: Selecting) => spec.selector);
      const adopters = objects
        .list<Selecting>(owners.type, namespace)
        .filter((owner) => selectsLabels(selectorOf(owner), labels));
      return adopters.map(keyOf);
    },
  };
}
