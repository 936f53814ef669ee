import { selectsLabels } from "@capstan/formats";
import type { KubeObject, OwnerReference } from "../types.ts";
import type { Context } from "./controller.ts";
import type { LabelSelector } from "./kinds.ts";
import { controllerReference, isControlledBy, isDeleting } from "./owners.ts";

export interface Claim<T extends KubeObject> {
  owner: KubeObject;
  type: string;
  selector: LabelSelector;
  isKind(object: KubeObject): object is T;
}

/**
 * What the owner controls: its own that still match are kept, its own that do not are let go, and matching ones
 * without an owner are taken on, as pkg/controller/controller_ref_manager.go has it.
 */
export async function claimDependents<T extends KubeObject>(
  { objects, orphans }: Pick<Context, "objects" | "orphans">,
  { owner, type, selector, isKind }: Claim<T>,
): Promise<T[]> {
  const claimed: T[] = [];
  for (const object of dependents(objects, owner, isKind)) {
    if (selectsLabels(selector, object.metadata.labels)) claimed.push(object);
    else if (!isDeleting(object)) await objects.update(type, released(object, owner));
  }
  if (isDeleting(owner)) return claimed;
  for (const orphan of orphans.matching(type, owner.metadata.namespace ?? "", selector)) {
    if (!isKind(orphan)) continue;
    claimed.push(await objects.update<T>(type, withOwner(orphan, controllerReference(owner))));
  }
  return claimed;
}

/** What the owner controls now, without changing anything. */
export function dependents<T extends KubeObject>(
  objects: Context["objects"],
  owner: KubeObject,
  isKind: (object: KubeObject) => object is T,
): T[] {
  const found: T[] = [];
  for (const object of objects.ownedBy(owner.metadata.uid ?? "")) {
    if (isKind(object) && isControlledBy(object, owner)) found.push(object);
  }
  return found;
}

function withOwner<T extends KubeObject>(object: T, owner: OwnerReference): T {
  const ownerReferences = [...(object.metadata.ownerReferences ?? []), owner];
  return { ...object, metadata: { ...object.metadata, ownerReferences } };
}

function released<T extends KubeObject>(object: T, owner: KubeObject): T {
  const ownerReferences =
    object.metadata.ownerReferences?.filter(({ uid }) => uid !== owner.metadata.uid) ?? [];
  return { ...object, metadata: { ...object.metadata, ownerReferences } };
}
