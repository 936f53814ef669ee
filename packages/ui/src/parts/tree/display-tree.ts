import { healthRank } from "@capstan/model";
import { sizeOf, type TreeItem, type TreeRoot } from "./tree-items.ts";

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
/** `found`: a filter has chosen what is shown, so nothing of it is folded away. */
export type Folding = (typeof foldings)[number] | "found";

export interface FoldState {
  readonly folding: Folding;
  /** Nodes that a person opened or closed against the rule. */
  readonly flipped: ReadonlySet<string>;
}

/** Below this many objects everything is shown, healthy or not. */
const smallTree = 32;
/** This many alike that are well become one node. */
export const bundleFrom = 5;

const healthy = healthRank("Healthy");
const suspended = healthRank("Suspended");

export const nodeHeight = { application: 58, resource: 46, bundle: 46 } as const;
const podGrid = { perLine: 9, line: 24, frame: 36, note: 20, notes: 3 } as const;

export function isCalm(item: TreeItem): boolean {
  return item.worst >= suspended && item.worst <= healthy && !item.drifted;
}

export function displayTree(root: TreeRoot, state: FoldState): DisplayNode {
  const small = root.size <= smallTree;
  const folds = (item: TreeItem): boolean =>
    item.size > 0 && (state.folding === "all" || (state.folding === "auto" && !small && isCalm(item)));
  const bundles = {
    none: Number.POSITIVE_INFINITY,
    found: 12,
    all: bundleFrom,
    auto: small ? 12 : bundleFrom,
  };
  const context = { folds, bundles: bundles[state.folding], flipped: state.flipped };
  return rootNode(displayChildren(root.items, "application", context));
}

export function rootNode(children: readonly DisplayNode[]): DisplayNode {
  const { application: height } = nodeHeight;
  const nothing = { item: undefined, members: [], hidden: 0, open: undefined };
  return { id: "application", shape: "application", children, height, ...nothing };
}

interface Context {
  /** Whether what is below an object is folded as long as nobody says otherwise. */
  readonly folds: (item: TreeItem) => boolean;
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
    // A Deployment keeps the ReplicaSets of former revisions without any Pod.
    const isOld = kind === "ReplicaSet" && alike.some(({ size }) => size > 0);
    const bundled = alike.filter(
      (item) => (isOld && item.size === 0) || (isCalm(item) && (item.size === 0 || context.folds(item))),
    );
    const enough = kind === "ReplicaSet" ? 2 : context.bundles;
    const id = `${parent}/${name}`;
    if (bundled.length < enough) return alike.map((item) => displayItem(item, context));
    const inBundle = new Set(bundled);
    const others = alike.filter((item) => !inBundle.has(item));
    return [
      ...others.map((item) => displayItem(item, context)),
      bundleNode(bundled, id, context.flipped.has(id) && bundled.map((item) => displayItem(item, context))),
    ];
  });
}

function displayItem(item: TreeItem, context: Context): DisplayNode {
  const closed = item.size > 0 && context.folds(item) !== context.flipped.has(item.id);
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

/** An object by itself, with what is shown after it. */
export function plainNode(item: TreeItem, id: string, children: readonly DisplayNode[]): DisplayNode {
  const { resource: height } = nodeHeight;
  return { id, shape: "resource", item, members: [], children, height, hidden: 0, open: undefined };
}

/** Opened, its members stand after it. */
export function bundleNode(
  members: readonly TreeItem[],
  id: string,
  opened: readonly DisplayNode[] | false,
): DisplayNode {
  const open = opened !== false;
  return {
    id,
    shape: "bundle",
    item: undefined,
    members,
    children: opened || [],
    height: nodeHeight.bundle,
    hidden: open ? 0 : sizeOf(members),
    open,
  };
}

export function wellCount(pods: readonly TreeItem[]): string {
  return `${pods.length - unwellPods(pods).length} of ${pods.length} well`;
}

export function unwellPods(members: readonly TreeItem[]): readonly TreeItem[] {
  return members.filter((pod) => pod.worst < suspended).sort((left, right) => left.worst - right.worst);
}

export function podsNode(members: readonly TreeItem[], parent: string): DisplayNode {
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

/** Where in a list that begins with what is wrong: the rank of the worst health, what differs before what does not. */
export function displayRank({ item, members }: DisplayNode): number {
  const all = item ? [item] : members;
  const worst = Math.min(...all.map((one) => one.worst));
  return worst * 2 + (all.some(({ drifted }) => drifted) ? 0 : 1);
}
