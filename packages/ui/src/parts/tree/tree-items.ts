import {
  healthRank,
  type InfoItem,
  type ResourceNetworkingInfo,
  type ResourceNode,
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
export function inOrder(left: TreeItem, right: TreeItem): number {
  const [{ kind, name }, { kind: otherKind, name: otherName }] = [left.resource, right.resource];
  if (kind !== otherKind) return kindRank(kind) - kindRank(otherKind) || collator.compare(kind, otherKind);
  const byAge = kind === "ReplicaSet" ? collator.compare(right.createdAt ?? "", left.createdAt ?? "") : 0;
  return byAge || collator.compare(name, otherName);
}

/** Objects without a health rule do not count as unhealthy. */
function ownRank(health: string | undefined): number {
  return healthRank(health ?? "Healthy");
}

export function sizeOf(items: readonly TreeItem[]): number {
  return items.reduce((sum, { size }) => sum + size + 1, 0);
}

export interface ItemFacts {
  readonly status?: ResourceStatus | undefined;
  readonly isOrphan?: boolean;
}

export function newItem(
  node: ResourceNode,
  children: readonly TreeItem[],
  { status, isOrphan = false }: ItemFacts,
): TreeItem {
  const key = resourceKey(node);
  const health = node.health?.status ?? status?.health?.status;
  return {
    id: key,
    key,
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
