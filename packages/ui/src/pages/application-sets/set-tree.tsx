import type { ApplicationSet } from "@capstan/model";
import { useMemo, useState } from "react";
import { type DisplayNode, displayTree } from "../../parts/tree/display-tree.ts";
import { RootNode } from "../../parts/tree/root-node.tsx";
import { treeItems } from "../../parts/tree/tree-book.ts";
import { TreeGraph } from "../../parts/tree/tree-graph.tsx";
import type { TreeItem } from "../../parts/tree/tree-items.ts";
import { TreeNode } from "../../parts/tree/tree-node.tsx";
import { type AppRef, paths } from "../../paths.ts";
import { StateMark } from "../../primitives/glyph.tsx";
import { useNarrow } from "../../primitives/narrow.ts";
import { goTo } from "../../url-state.ts";
import { setFacts } from "./set-facts.ts";

/** As high as what it shows: a set of one has no empty field below it. */
const [mostInView, lineHeight, toolsHeight] = [5, 58, 104];

/** The set and the applications that it has made, what is wrong in view; each leads to its own page. */
export function SetTree({ set, setRef }: { set: ApplicationSet; setRef: AppRef }) {
  const resources = set.status?.resources;
  const [flipped, setFlipped] = useState<ReadonlySet<string>>(new Set());
  const root = useMemo(
    () => treeItems({ status: { resources: resources ?? [] } }, { nodes: [] }),
    [resources],
  );
  const display = useMemo(() => displayTree(root, { folding: "auto", flipped }), [root, flipped]);
  const narrow = useNarrow();
  // On a phone the table below holds the same.
  if (root.size === 0 || narrow) return null;
  const toggle = (id: string) => {
    const next = new Set(flipped);
    if (!next.delete(id)) next.add(id);
    setFlipped(next);
  };
  const open = ({ resource: { name, namespace } }: TreeItem) =>
    goTo(paths.application({ name, namespace: namespace || setRef.namespace }));
  const draw = (node: DisplayNode, focusable: boolean) =>
    node.shape === "application" ? (
      <RootNode kind="ApplicationSet" name={setRef.name} size={root.size} focusable={focusable}>
        <StateMark look={setFacts(set).look} about="Set" />
      </RootNode>
    ) : (
      <TreeNode node={node} focusable={focusable} selected={undefined} open={open} toggle={toggle} />
    );
  return (
    <section
      className="set-tree"
      aria-label="Tree"
      style={{ height: Math.min(display.children.length, mostInView) * lineHeight + toolsHeight }}
    >
      <TreeGraph
        name={`set ${setRef.namespace}/${setRef.name}`}
        root={display}
        draw={draw}
        selected={undefined}
        onToggle={toggle}
      />
    </section>
  );
}
