import type { KubeObject, OwnerReference } from "../types.ts";

export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller);
}

export function isControlledBy(object: KubeObject, owner: KubeObject): boolean {
  const uid = controllerOf(object)?.uid;
  return uid !== undefined && uid === owner.metadata.uid;
}

export function controllerReference(owner: KubeObject): OwnerReference {
  const { name = "", uid = "" } = owner.metadata;
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** Keys of the controlling owner, if it is of this kind. For watches of dependents. */
export function ownerKeys(object: KubeObject, kind: string, apiVersion: string): string[] {
  const owner = controllerOf(object);
  if (owner?.kind !== kind || owner.apiVersion !== apiVersion) return [];
  return [`${object.metadata.namespace ?? ""}/${owner.name}`];
}

export function isDeleting(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/** Oldest first; names decide between those of the same second. */
export function byAge(a: KubeObject, b: KubeObject): number {
  const [left, right] = [a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? ""];
  if (left !== right) return left < right ? -1 : 1;
  const [name, other] = [a.metadata.name ?? "", b.metadata.name ?? ""];
  return name < other ? -1 : Number(name > other);
}
