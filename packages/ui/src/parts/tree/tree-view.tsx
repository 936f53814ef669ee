import type { Application } from "@capstan/model";
import { type ReactNode, useMemo, useState } from "react";
import { StateMark } from "../../primitives/glyph.tsx";
import type { IconName } from "../../primitives/icon.tsx";
import { useNarrow } from "../../primitives/narrow.ts";
import { Segmented } from "../../primitives/segmented.tsx";
import { healthLook, syncLook } from "../../primitives/states.ts";
import { changeSearch, useHrefWith, useSearch } from "../../url-state.ts";
import { Choosing, canBeChosen } from "./choosing.tsx";
import { type DisplayNode, displayTree, foldings } from "./display-tree.ts";
import { keepView, keptView } from "./kept-views.ts";
import { networkTree } from "./network-tree.ts";
import { PodsView } from "./pods-view.tsx";
import { RootNode } from "./root-node.tsx";
import { filterTree, isFiltering, readTreeFilter } from "./tree-filter.ts";
import { TreeFilterLine } from "./tree-filter-line.tsx";
import { TreeGraph } from "./tree-graph.tsx";
import { sizeOf, type TreeItem, type TreeRoot } from "./tree-items.ts";
import { TreeList } from "./tree-list.tsx";
import { TreeNode } from "./tree-node.tsx";

/** The ways to look at the same objects. */
const looks = ["graph", "list", "pods", "network"] as const;
type Look = (typeof looks)[number];

export function TreeView({ app, root }: { app: Application; root: TreeRoot }) {
  const search = useSearch();
  const narrow = useNarrow();
  const { name, namespace = "" } = app.metadata;
  const kept = `${namespace}/${name}`;
  const [flipped, setFlipped] = useState<ReadonlySet<string>>(() => keptView(kept).flipped ?? new Set());
  const filter = useMemo(() => readTreeFilter(search), [search]);
  const folding = foldings.find((known) => known === search.fold) ?? "auto";
  const look: Look = looks.find((known) => known === search.as) ?? (narrow ? "list" : "graph");
  const shown = orphanViews.find((known) => known === search.orphans) ?? "none";
  const part = useMemo(() => partOf(root, shown), [root, shown]);
  const found = useMemo(() => (isFiltering(filter) ? filterTree(part, filter) : part), [part, filter]);
  const display = useMemo(() => {
    if (look === "network") return networkTree(found, flipped);
    return displayTree(found, { folding: isFiltering(filter) ? "found" : folding, flipped });
  }, [look, found, filter, folding, flipped]);
  const toggle = (id: string) => {
    const next = new Set(flipped);
    if (!next.delete(id)) next.add(id);
    setFlipped(next);
    keepView(kept, { flipped: next });
  };
  const [chosen, setChosen] = useState<ReadonlySet<string>>();
  const pick = (key: string) => {
    const next = new Set(chosen);
    if (!next.delete(key)) next.add(key);
    setChosen(next);
  };
  const actions = {
    selected: search.resource,
    chosen,
    open: (item: TreeItem) =>
      chosen && canBeChosen(item) ? pick(item.key) : changeSearch({ resource: item.key }, { push: true }),
    toggle,
  };
  const draw = (node: DisplayNode, focusable: boolean) =>
    node.shape === "application" ? (
      <RootNode
        kind="Application"
        onClick={() => changeSearch({ resource: undefined })}
        {...{ name, size: root.size, focusable }}
      >
        <StateMark look={syncLook(app.status?.sync?.status)} about="Sync" />
        <StateMark look={healthLook(app.status?.health?.status)} about="Health" />
      </RootNode>
    ) : (
      <TreeNode node={node} focusable={focusable} {...actions} />
    );
  if (root.size === 0 && root.orphans.length === 0 && !root.isWaiting) return <NoObjects app={app} />;
  return (
    <div className="tree-view">
      <TreeTools look={look} folding={folding} isFiltered={isFiltering(filter)}>
        {(root.orphans.length > 0 || shown !== "none") && (
          <OrphanChoice shown={shown} count={sizeOf(root.orphans)} />
        )}
        {(look === "graph" || look === "list") && root.size > 0 && (
          <Choosing app={app} chosen={chosen} onChange={setChosen} />
        )}
      </TreeTools>
      <TreeFilterLine app={app} root={part} found={found} filter={filter} />
      {look === "list" && <TreeList root={display} {...actions} />}
      {look === "pods" && <PodsView root={found} {...actions} />}
      {look === "network" && display.children.length === 0 && !root.isWaiting && (
        <p className="tree-note dim">No Service and no Ingress is among these objects.</p>
      )}
      {(look === "graph" || (look === "network" && display.children.length > 0)) && (
        <TreeGraph
          key={look}
          name={`${kept} ${look}`}
          root={display}
          draw={draw}
          selected={search.resource}
          onToggle={toggle}
        />
      )}
    </div>
  );
}

function NoObjects({ app: { status } }: { app: Application }) {
  const hasFailed = status?.conditions?.some(({ type }) => type.endsWith("Error"));
  return (
    <p className="tree-note dim">
      {hasFailed
        ? "What it consists of is not known until its source can be read: what is deployed stays as it is."
        : "It has no objects: there is none in its source, and none that it has deployed."}
    </p>
  );
}

/** Objects of the namespace that no application has: left out, beside the application's own, or alone. */
const orphanViews = ["none", "too", "only"] as const;
type OrphanView = (typeof orphanViews)[number];

function partOf(root: TreeRoot, shown: OrphanView): TreeRoot {
  if (shown === "none") return root;
  const items = shown === "only" ? root.orphans : [...root.items, ...root.orphans];
  return { ...root, items, size: sizeOf(items) };
}

function OrphanChoice({ shown, count }: { shown: OrphanView; count: number }) {
  const hrefWith = useHrefWith();
  const words: Record<OrphanView, string> = {
    none: "Its own",
    too: `With ${count} orphaned`,
    only: "Orphaned only",
  };
  return (
    <Segmented
      label="Objects"
      segments={orphanViews.map((view) => ({
        label: words[view],
        href: hrefWith({ orphans: view === "none" ? undefined : view }),
        current: shown === view,
      }))}
    />
  );
}

interface ToolsProps {
  look: Look;
  folding: string;
  /** Then nothing is folded. */
  isFiltered: boolean;
  children: ReactNode;
}

function TreeTools({ look, folding, isFiltered, children }: ToolsProps) {
  const hrefWith = useHrefWith();
  const segment = (label: string, as: Look, icon: IconName) => ({
    label,
    icon,
    href: hrefWith({ as }),
    current: look === as,
  });
  const folds = (look === "graph" || look === "list") && !isFiltered;
  return (
    <div className="tree-tools">
      <Segmented
        label="Show as"
        segments={[
          segment("Graph", "graph", "graph"),
          segment("List, worst first", "list", "list"),
          segment("Pods", "pods", "tiles"),
          segment("Network", "network", "network"),
        ]}
      />
      {folds && (
        <Segmented
          label="Fold"
          segments={[
            { label: "Fold healthy", href: hrefWith({ fold: undefined }), current: folding === "auto" },
            { label: "Show all", href: hrefWith({ fold: "none" }), current: folding === "none" },
            { label: "Fold all", href: hrefWith({ fold: "all" }), current: folding === "all" },
          ]}
        />
      )}
      {children}
    </div>
  );
}
