import { infoValue, type TreeItem, type TreeRoot } from "./tree-items.ts";

export const podGroupings = ["node", "owner"] as const;
export type PodGrouping = (typeof podGroupings)[number];

export interface PodGroup {
  readonly title: string;
  /** Worst first. */
  readonly pods: readonly TreeItem[];
  readonly worst: number;
}

/** The application's Pods by the node that they run on, or by what the application has that made them. */
export function podGroups(root: TreeRoot, by: PodGrouping): PodGroup[] {
  const found = new Map<string, TreeItem[]>();
  const visit = (item: TreeItem, owner: string) => {
    if (item.resource.kind === "Pod") {
      const title = by === "owner" ? owner : (infoValue(item, "Node") ?? "On no node");
      found.set(title, [...(found.get(title) ?? []), item]);
    }
    for (const child of item.children) visit(child, owner);
  };
  for (const item of root.items) visit(item, `${item.resource.kind} ${item.resource.name}`);
  return [...found]
    .map(([title, pods]) => ({
      title,
      pods: pods.sort((one, other) => one.worst - other.worst),
      worst: Math.min(...pods.map(({ worst }) => worst)),
    }))
    .sort((one, other) => one.worst - other.worst || (one.title < other.title ? -1 : 1));
}
