import {
  type ApplicationTree,
  healthRank,
  type InfoItem,
  type ResourceNetworkingInfo,
  type ResourceNode,
  type ResourceRef,
  type ResourceStatus,
} from "@capstan/model";
import { type ResourceId, resourceId, resourceKey } from "../../resource-id.ts";

/** One object of the application with those that it owns. */
export interface TreeItem {
  /** The same before the cluster has told of it and after: what has the focus keeps it. */
  readonly id: string;
  readonly key: string;
  readonly resource: ResourceId;
  readonly health: string | undefined;
  readonly message: string;
  /** Only objects that come from the source have one. */
  readonly sync: string | undefined;
  readonly requiresPruning: boolean;
  readonly isHook: boolean;
  /** It lies in the application's namespace, and no application has it. */
  readonly isOrphan: boolean;
  readonly info: readonly InfoItem[];
  readonly images: readonly string[];
  /** Where traffic comes in and goes to; of Pods, Services and Ingresses. */
  readonly networking: ResourceNetworkingInfo | undefined;
  readonly createdAt: string | undefined;
  readonly version: string;
  readonly children: readonly TreeItem[];
  /** Objects below this one. */
  readonly size: number;
  /** Rank of the worst health of this and all below; see healthRank. */
  readonly worst: number;
  /** This or something below differs from the source. */
  readonly drifted: boolean;
}

export interface TreeRoot {
  readonly items: readonly TreeItem[];
  readonly size: number;
  /** Beside them: no part of the application. */
  readonly orphans: readonly TreeItem[];
  /** What lives in the cluster has not come yet: there are the names alone that the status tells. */
  readonly isWaiting?: true;
}

/** Workloads first, then what leads to them, then what they read: the order in which people look. */
const kindOrder = [
  "Application",
  "Namespace",
  "Deployment",
  "StatefulSet",
  "DaemonSet",
  "Rollout",
  "CronJob",
  "Job",
  "ReplicaSet",
  "Pod",
  "Ingress",
  "HTTPRoute",
  "Service",
  "EndpointSlice",
  "ConfigMap",
  "Secret",
  "PersistentVolumeClaim",
  "ServiceAccount",
];

const kindRanks = new Map(kindOrder.map((kind, rank) => [kind, rank]));
const kindRank = (kind: string): number => kindRanks.get(kind) ?? kindOrder.length;

const collator = new Intl.Collator("en", { numeric: true });

/** By kind; old ReplicaSets last. A tree is put in order with each change of it: what is asked first is cheap. */
function inOrder(left: TreeItem, right: TreeItem): number {
  const [{ kind, name }, { kind: otherKind, name: otherName }] = [left.resource, right.resource];
  if (kind !== otherKind) return kindRank(kind) - kindRank(otherKind) || collator.compare(kind, otherKind);
  const byAge = kind === "ReplicaSet" ? collator.compare(right.createdAt ?? "", left.createdAt ?? "") : 0;
  return byAge || collator.compare(name, otherName);
}

const orders = new WeakMap<ResourceNode, Record<"given" | "order", readonly TreeItem[]>>();

/** What a node owns, in order; put into it once as long as all of it stays the same. */
function ordered(node: ResourceNode, given: readonly TreeItem[]): readonly TreeItem[] {
  const known = orders.get(node);
  if (known && isSameList(known.given, given)) return known.order;
  const order = given.toSorted(inOrder);
  orders.set(node, { given, order });
  return order;
}

function isSameList(one: readonly TreeItem[], other: readonly TreeItem[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}

const keysOfNodes = new WeakMap<ResourceRef, string>();

/** Of a node or of a reference, made once: those that stay the same are the same objects from change to change. */
function keyOf(node: ResourceRef): string {
  let key = keysOfNodes.get(node);
  if (key === undefined) {
    key = resourceKey(node);
    keysOfNodes.set(node, key);
  }
  return key;
}

/** Objects without a health rule do not count as unhealthy. */
function ownRank(health: string | undefined): number {
  return healthRank(health ?? "Healthy");
}

function childrenByParent(nodes: readonly ResourceNode[]): Map<string, ResourceNode[]> {
  const byParent = new Map<string, ResourceNode[]>();
  const known = new Set(nodes.map((node) => keyOf(node)));
  for (const node of nodes) {
    const key = node.parentRefs?.map((ref) => keyOf(ref)).find((parent) => known.has(parent)) ?? "";
    const siblings = byParent.get(key);
    if (siblings) siblings.push(node);
    else byParent.set(key, [node]);
  }
  return byParent;
}

/** What tells the states of the objects that it has. */
interface Listed {
  readonly status?: { readonly resources?: readonly ResourceStatus[] };
}

/** The tree as the server tells it, and objects of the status that are not in the cluster. */
export function treeItems(app: Listed | undefined, tree: ApplicationTree | undefined): TreeRoot {
  const statuses = new Map<string, ResourceStatus>(
    (app?.status?.resources ?? []).map((status) => [resourceKey(status), status]),
  );
  const nodes = tree?.nodes ?? [];
  const inTree = new Set(nodes.map((node) => keyOf(node)));
  const absent: ResourceNode[] = [...statuses.values()]
    .filter((status) => !inTree.has(resourceKey(status)))
    .map((status) => resourceId(status));
  const byParent = childrenByParent([...nodes, ...absent]);
  const seen = new Set<string>();
  const build = (node: ResourceNode): TreeItem => {
    const key = keyOf(node);
    seen.add(key);
    const children = (byParent.get(key) ?? []).filter((child) => !seen.has(keyOf(child))).map(build);
    return item(node, ordered(node, children), { status: statuses.get(key) });
  };
  const roots = (byParent.get("") ?? []).map(build);
  // Objects that own each other hang on no root; they are shown all the same.
  const left = nodes.filter((node) => !seen.has(keyOf(node)));
  const loops = left.flatMap((node) => (seen.has(keyOf(node)) ? [] : [build(node)]));
  const items = [...roots, ...loops].sort(inOrder);
  return {
    items,
    size: sizeOf(items),
    orphans: orphanItems(tree?.orphanedNodes ?? []),
    ...(!tree && { isWaiting: true }),
  };
}

function orphanItems(nodes: readonly ResourceNode[]): TreeItem[] {
  const byParent = childrenByParent(nodes);
  const build = (node: ResourceNode): TreeItem => {
    const key = keyOf(node);
    const children = byParent.get(key) ?? [];
    byParent.delete(key);
    return item(node, ordered(node, children.map(build)), { isOrphan: true });
  };
  return (byParent.get("") ?? []).map(build).sort(inOrder);
}

export function sizeOf(items: readonly TreeItem[]): number {
  return items.reduce((sum, { size }) => sum + size + 1, 0);
}

interface ItemFacts {
  status?: ResourceStatus | undefined;
  isOrphan?: boolean;
}

interface Made {
  readonly item: TreeItem;
  readonly status: ResourceStatus | undefined;
  readonly isOrphan: boolean;
}

const made = new WeakMap<ResourceNode, Made>();

/** The same item as before where it, and all below it, is as before. */
function item(
  node: ResourceNode,
  children: readonly TreeItem[],
  { status, isOrphan = false }: ItemFacts,
): TreeItem {
  const before = made.get(node);
  const isSame =
    before?.status === status && before?.isOrphan === isOrphan && isSameList(before.item.children, children);
  if (before && isSame) return before.item;
  const found = newItem(node, children, { status, isOrphan });
  made.set(node, { item: found, status, isOrphan });
  return found;
}

function newItem(
  node: ResourceNode,
  children: readonly TreeItem[],
  { status, isOrphan }: { status: ResourceStatus | undefined; isOrphan: boolean },
): TreeItem {
  const health = node.health?.status ?? status?.health?.status;
  return {
    id: keyOf(node),
    key: keyOf(node),
    resource: resourceId(node),
    health,
    message: node.health?.message ?? status?.health?.message ?? "",
    sync: status?.status,
    requiresPruning: status?.requiresPruning === true && status.hook !== true,
    isHook: status?.hook ?? false,
    isOrphan,
    info: node.info ?? [],
    images: node.images ?? [],
    networking: node.networkingInfo,
    createdAt: node.createdAt,
    version: node.resourceVersion ?? "",
    children,
    size: sizeOf(children),
    worst: Math.min(ownRank(health), ...children.map((child) => child.worst)),
    drifted: status?.status === "OutOfSync" || children.some((child) => child.drifted),
  };
}

export function flatten(items: readonly TreeItem[]): TreeItem[] {
  return items.flatMap((entry) => [entry, ...flatten(entry.children)]);
}

export function infoValue(entry: TreeItem, name: string): string | undefined {
  return entry.info.find((info) => info.name === name)?.value;
}

/** For those who listen: the states stand beside the name as glyphs. */
export function statesOf({ sync, health, message, isOrphan }: TreeItem): string {
  return [isOrphan ? "orphaned" : undefined, sync, health, message]
    .map((part) => (part ? `, ${part}` : ""))
    .join("");
}
