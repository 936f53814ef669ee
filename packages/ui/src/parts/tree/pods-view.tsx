import { Segmented } from "../../primitives/segmented.tsx";
import { SkeletonRows } from "../../primitives/skeleton.tsx";
import { useHrefWith, useSearch } from "../../url-state.ts";
import { wellCount } from "./display-tree.ts";
import { PodGrid, PodNotes } from "./pod-grid.tsx";
import { podGroupings, podGroups } from "./pod-groups.ts";
import type { TreeItem, TreeRoot } from "./tree-items.ts";

interface Props {
  root: TreeRoot;
  selected: string | undefined;
  open(item: TreeItem): void;
}

/** Every Pod at once, what is unwell first. */
export function PodsView({ root, ...actions }: Props) {
  const search = useSearch();
  const by = podGroupings.find((name) => name === search.by) ?? "node";
  const hrefWith = useHrefWith();
  const groups = podGroups(root, by);
  return (
    <div className="pods-view">
      <Segmented
        label="Pods by"
        segments={podGroupings.map((name) => ({
          label: `By ${name}`,
          href: hrefWith({ by: name === "node" ? undefined : name }),
          current: by === name,
        }))}
      />
      {groups.length === 0 &&
        (root.isWaiting ? (
          <SkeletonRows rows={4} height={44} />
        ) : (
          <p className="dim">This application has no Pods.</p>
        ))}
      <div className="pod-groups">
        {groups.map(({ title, pods }) => (
          <section key={title} className="pod-group" aria-label={title}>
            <h2>{title}</h2>
            <p className="dim">{wellCount(pods)}</p>
            <PodGrid pods={pods} {...actions} />
            <PodNotes pods={pods} open={actions.open} />
          </section>
        ))}
      </div>
    </div>
  );
}
