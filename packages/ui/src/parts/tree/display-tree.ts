import { healthRank } from "@capstan/model";
import type { TreeItem, TreeRoot } from "./tree-items.ts";

/** What the picture shows: objects, pods of one owner as one node, and bundles of healthy alike objects. */
export interface DisplayNode {
  readonly id: string;
  readonly shape: "application" | "resource" | "pods" | "bundle";
  readonly item: TreeItem | undefined;
  readonly members: readonly TreeItem[];
  readonly children: readonly DisplayNode[];
  readonly height: number;
  /** Objects that are folded into this node. */
  readonly hidden: number;
  /** Whether it can be folded or unfolded; undefined where there is nothing below. */
  readonly open: boolean | undefined;
}

export const foldings = ["auto", "none", "all"] as const;
export type Folding = (typeof foldings)[number];

export interface FoldState {
  readonly folding: Folding;
  /** Nodes that a person opened or closed against the rule. */
  readonly flipped: ReadonlySet<string>;
}

/** Below this many objects everything is shown, healthy or not. */
const smallTree = 32;
/** This many alike healthy leaves become one node. */
const bundleFrom = 5;

const healthy = healthRank("Healthy");
const suspended = healthRank("Suspended");

export const nodeHeight = { application: 58, resource: 46, bundle: 46 } as const;
const podGrid = { perLine: 10, line: 22, frame: 36, note: 20, notes: 3 } as const;

export function isCalm(item: TreeItem): boolean {
  return item.worst >= suspended && item.worst <= healthy && !item.drifted;
}

export function displayTree(root: TreeRoot, state: FoldState): DisplayNode {
  const small = root.size <= smallTree;
  const folded = (item: TreeItem): boolean => {
    if (item.size === 0) return false;
    const rule = state.folding === "all" || (state.folding === "auto" && !small && isCalm(item));
    return rule !== state.flipped.has(item.id);
  };
  const bundles = state.folding === "none" ? Number.POSITIVE_INFINITY : small ? 12 : bundleFrom;
  const context = { folded, bundles, flipped: state.flipped };
  return {
    id: "application",
    shape: "application",
    item: undefined,
    members: [],
    children: displayChildren(root.items, "application", context),
    height: nodeHeight.application,
    hidden: 0,
    open: undefined,
  };
}

interface Context {
  readonly folded: (item: TreeItem) => boolean;
  readonly bundles: number;
  readonly flipped: ReadonlySet<string>;
}

function displayChildren(items: readonly TreeItem[], parent: string, context: Context): DisplayNode[] {
  // What no application has is never one node with what the application has.
  const byKind = Map.groupBy(
    items,
    ({ isOrphan, resource }) => (isOrphan ? "orphaned " : "") + resource.kind,
  );
  return [...byKind].flatMap(([name, alike]) => {
    const kind = alike[0]?.resource.kind;
    if (kind === "Pod" && alike.length > 1) return [podsNode(alike, parent)];
    const bundled = alike.filter((item) => isOldReplicaSet(item, alike) || (item.size === 0 && isCalm(item)));
    const enough = kind === "ReplicaSet" ? 2 : context.bundles;
    const id = `${parent}/${name}`;
    if (bundled.length < enough || context.flipped.has(id))
      return alike.map((item) => displayItem(item, context));
    const others = alike.filter((item) => !bundled.includes(item));
    return [...others.map((item) => displayItem(item, context)), bundleNode(bundled, id)];
  });
}

/** A Deployment keeps the ReplicaSets of former revisions without any Pod. */
function isOldReplicaSet(item: TreeItem, siblings: readonly TreeItem[]): boolean {
  return item.resource.kind === "ReplicaSet" && item.size === 0 && siblings.some(({ size }) => size > 0);
}

function displayItem(item: TreeItem, context: Context): DisplayNode {
  const closed = context.folded(item);
  return {
    id: item.id,
    shape: "resource",
    item,
    members: [],
    children: closed ? [] : displayChildren(item.children, item.id, context),
    height: nodeHeight.resource,
    hidden: closed ? item.size : 0,
    open: item.size === 0 ? undefined : !closed,
  };
}

function bundleNode(members: readonly TreeItem[], id: string): DisplayNode {
  return {
    id,
    shape: "bundle",
    item: undefined,
    members,
    children: [],
    height: nodeHeight.bundle,
    hidden: members.length,
    open: false,
  };
}

export function unwellPods(members: readonly TreeItem[]): readonly TreeItem[] {
  return members.filter((pod) => pod.worst < suspended).sort((left, right) => left.worst - right.worst);
}

function podsNode(members: readonly TreeItem[], parent: string): DisplayNode {
  const lines = Math.ceil(members.length / podGrid.perLine);
  const notes = Math.min(unwellPods(members).length, podGrid.notes);
  return {
    id: `${parent}/${members[0]?.isOrphan ? "orphaned " : ""}pods`,
    shape: "pods",
    item: undefined,
    members,
    children: [],
    height: podGrid.frame + lines * podGrid.line + notes * podGrid.note,
    hidden: 0,
    open: undefined,
  };
}

export const shownNotes = podGrid.notes;
