import type { ResourceNode } from "@capstan/model";
import { type Paint, paintState } from "./paint.ts";
import { formatTable } from "./table.ts";

interface TreeFacts {
  paint: Paint;
  /** Sync status of a managed resource. */
  stateOf(node: ResourceNode): string;
  isDetailed: boolean;
  nowMs: number;
}

/** Owners with what they own below them. */
export function formatTree(nodes: readonly ResourceNode[], facts: TreeFacts): string {
  const children = new Map<string, ResourceNode[]>();
  const roots: ResourceNode[] = [];
  const uids = new Set(nodes.map(({ uid }) => uid));
  for (const node of nodes) {
    const parents = (node.parentRefs ?? []).filter(({ uid }) => uid !== undefined && uids.has(uid));
    if (parents.length === 0) roots.push(node);
    for (const { uid = "" } of parents) children.set(uid, [...(children.get(uid) ?? []), node]);
  }
  const rows: string[][] = [];
  const seen = new Set<string>();
  const walk = (node: ResourceNode, indent: string, mark: string): void => {
    rows.push(row(node, `${indent}${mark}`, facts));
    const uid = node.uid ?? "";
    if (uid === "" || seen.has(uid)) return;
    seen.add(uid);
    const below = children.get(uid) ?? [];
    const next = mark === "" ? indent : `${indent}${mark === "└─" ? "  " : "│ "}`;
    for (const [index, child] of below.entries()) walk(child, next, index === below.length - 1 ? "└─" : "├─");
  };
  for (const root of roots) walk(root, "", "");
  const header = ["KIND/NAME", "STATUS", "HEALTH", ...(facts.isDetailed ? ["AGE"] : []), "MESSAGE"];
  return formatTable([header, ...rows]);
}

function row(node: ResourceNode, lead: string, { paint, stateOf, isDetailed, nowMs }: TreeFacts): string[] {
  const { kind, name, health, createdAt } = node;
  const info = (node.info ?? []).map((item) => `${item.name}: ${item.value}`).join(", ");
  return [
    `${lead}${kind}/${name}`,
    paintState(paint, stateOf(node)),
    paintState(paint, health?.status ?? ""),
    ...(isDetailed ? [createdAt ? formatAge(nowMs - Date.parse(createdAt)) : ""] : []),
    health?.message || (isDetailed ? info : ""),
  ];
}

/** 45s, 12m, 3h, 8d: kubectl's short ages. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
