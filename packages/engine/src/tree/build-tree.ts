import {
  type ApplicationTree,
  type HealthStatus,
  keyOf,
  keyText,
  type Manifest,
  type ResourceNode,
  type ResourceRef,
} from "@capstan/model";
import { refOf, resourceNode } from "./resource-node.ts";

export interface TreeInput {
  /** Live managed objects of the application. */
  roots: readonly Manifest[];
  /** Managed objects that are not in the cluster; they stand in the tree as Missing. */
  missing?: readonly Manifest[];
  /** Objects that are there and somebody else's: they stand in the tree by their names alone. */
  claimed?: readonly Manifest[];
  /** Objects whose ownerReferences name the uid, and those that belong to it by convention. */
  childrenOf: (uid: string) => readonly Manifest[];
  healthOf: (live: Manifest) => HealthStatus | undefined;
  /** Top-level objects of the destination namespace that belong to no application, if the project watches them. */
  orphans?: readonly Manifest[];
  /** Labels that nodes show beside their facts (resource.customLabels). */
  customLabels?: readonly string[];
}

/** Breadth first: every object once, with all of its parents (v1alpha1 ApplicationTree). */
export function buildTree(input: TreeInput): ApplicationTree {
  const tree: ApplicationTree = { nodes: collect(input.roots, input) };
  for (const manifest of input.missing ?? []) {
    tree.nodes?.push({ ...refOf(manifest), health: { status: "Missing" } });
  }
  for (const manifest of input.claimed ?? []) tree.nodes?.push(refOf(manifest));
  if (input.orphans !== undefined && input.orphans.length > 0) {
    tree.orphanedNodes = collect(input.orphans, input);
  }
  return tree;
}

function collect(
  roots: readonly Manifest[],
  { childrenOf, healthOf, customLabels }: TreeInput,
): ResourceNode[] {
  const nodes = new Map<string, ResourceNode>();
  const queue: { manifest: Manifest; parent?: ResourceRef }[] = roots.map((manifest) => ({ manifest }));
  for (const { manifest, parent } of queue) {
    const id = manifest.metadata.uid ?? keyText(keyOf(manifest));
    const known = nodes.get(id);
    if (known !== undefined) {
      if (parent !== undefined) addParent(known, parent);
      continue;
    }
    const parents = parent === undefined ? [] : [parent];
    nodes.set(id, resourceNode(manifest, { parents, health: healthOf(manifest), customLabels }));
    const { uid } = manifest.metadata;
    if (uid === undefined) continue;
    const self = refOf(manifest);
    for (const child of childrenOf(uid)) queue.push({ manifest: child, parent: self });
  }
  return [...nodes.values()];
}

function addParent(node: ResourceNode, parent: ResourceRef): void {
  const parents = node.parentRefs ?? [];
  if (!parents.some(({ uid }) => uid === parent.uid)) node.parentRefs = [...parents, parent];
}
