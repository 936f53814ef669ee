import type { Application } from "@capstan/model";
import { type ReactNode, useMemo, useState } from "react";
import { StateMark } from "../../primitives/glyph.tsx";
import { MiddleCut } from "../../primitives/middle-cut.tsx";
import { useNarrow } from "../../primitives/narrow.ts";
import { Segmented } from "../../primitives/segmented.tsx";
import { healthLook, syncLook } from "../../primitives/states.ts";
import { changeSearch, useHrefWith, useSearch } from "../../url-state.ts";
import { objectCount } from "../application-facts.ts";
import { type DisplayNode, displayTree, foldings } from "./display-tree.ts";
import { TreeGraph } from "./tree-graph.tsx";
import { sizeOf, type TreeRoot } from "./tree-items.ts";
import { TreeList } from "./tree-list.tsx";
import { TreeNode } from "./tree-node.tsx";

export function TreeView({ app, root }: { app: Application; root: TreeRoot }) {
  const search = useSearch();
  const narrow = useNarrow();
  const [flipped, setFlipped] = useState<ReadonlySet<string>>(new Set());
  const folding = foldings.find((name) => name === search.fold) ?? "auto";
  const asList = search.as === "list" || (narrow && search.as !== "graph");
  const shown = orphanViews.find((name) => name === search.orphans) ?? "none";
  const part = useMemo(() => partOf(root, shown), [root, shown]);
  const display = useMemo(() => displayTree(part, { folding, flipped }), [part, folding, flipped]);
  const toggle = (id: string) => {
    const next = new Set(flipped);
    if (!next.delete(id)) next.add(id);
    setFlipped(next);
  };
  const actions = {
    selected: search.resource,
    open: (item: { key: string }) => changeSearch({ resource: item.key }, { push: true }),
    toggle,
  };
  const draw = (node: DisplayNode, focusable: boolean) =>
    node.shape === "application" ? (
      <RootNode app={app} size={root.size} focusable={focusable} />
    ) : (
      <TreeNode node={node} focusable={focusable} {...actions} />
    );
  return (
    <div className="tree-view">
      <TreeTools asList={asList} size={part.size} folding={folding}>
        {(root.orphans.length > 0 || shown !== "none") && (
          <OrphanChoice shown={shown} count={sizeOf(root.orphans)} />
        )}
      </TreeTools>
      {asList ? (
        <TreeList root={display} {...actions} />
      ) : (
        <TreeGraph root={display} draw={draw} selected={search.resource} onToggle={toggle} />
      )}
    </div>
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
  asList: boolean;
  size: number;
  folding: string;
  children: ReactNode;
}

function TreeTools({ asList, size, folding, children }: ToolsProps) {
  const hrefWith = useHrefWith();
  return (
    <div className="tree-tools">
      <Segmented
        label="Show as"
        segments={[
          { label: "Graph", icon: "graph", href: hrefWith({ as: "graph" }), current: !asList },
          { label: "List", icon: "list", href: hrefWith({ as: "list" }), current: asList },
        ]}
      />
      <Segmented
        label="Fold"
        segments={[
          { label: "Fold healthy", href: hrefWith({ fold: undefined }), current: folding === "auto" },
          { label: "Show all", href: hrefWith({ fold: "none" }), current: folding === "none" },
          { label: "Fold all", href: hrefWith({ fold: "all" }), current: folding === "all" },
        ]}
      />
      {children}
      <span className="dim">{objectCount(size)}</span>
    </div>
  );
}

function RootNode({ app, size, focusable }: { app: Application; size: number; focusable: boolean }) {
  const { name } = app.metadata;
  return (
    <div className="node root">
      <button
        type="button"
        className="node-main"
        tabIndex={focusable ? 0 : -1}
        onClick={() => changeSearch({ resource: undefined })}
      >
        <span className="node-kind">
          Application
          <span className="node-fact">{objectCount(size)}</span>
        </span>{" "}
        <span className="node-name">
          <MiddleCut text={name} />
        </span>
      </button>
      <span className="node-states">
        <StateMark look={syncLook(app.status?.sync?.status)} about="Sync" />
        <StateMark look={healthLook(app.status?.health?.status)} about="Health" />
      </span>
    </div>
  );
}
