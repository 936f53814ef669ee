import { healthRank } from "@capstan/model";
import {
  type FocusEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { Button } from "../../primitives/button.tsx";
import type { DisplayNode } from "./display-tree.ts";
import { edgePath } from "./edge-path.ts";
import { type Layout, layoutTree } from "./layout-tree.ts";
import { useViewBox, type ViewControl } from "./use-view-box.ts";
import { type Box, boxOf, nodeWidth, overlaps, shownPart } from "./view-box.ts";
import { type Direction, walk } from "./walk.ts";

interface Props {
  root: DisplayNode;
  /** Draws one node; `focusable` marks the one that Tab reaches. */
  draw(node: DisplayNode, focusable: boolean): ReactNode;
  /** Key of the object whose panel covers the right part. */
  selected: string | undefined;
  onToggle(id: string): void;
  /** What its view is kept by. */
  name: string;
}

const spacing = { columnWidth: nodeWidth, columnGap: 48, rowGap: 12 };

/** The node that explains the state of the application, else its root. */
function culpritBox({ placed }: Layout<DisplayNode>): Box {
  const healthy = healthRank("Progressing");
  const worst = (node: DisplayNode) =>
    Math.min(
      node.item ? healthRank(node.item.health ?? "Healthy") : 9,
      ...node.members.map((pod) => pod.worst),
    );
  const unwell = placed.filter(({ node }) => worst(node) <= healthy);
  unwell.sort((left, right) => worst(left.node) - worst(right.node) || right.depth - left.depth);
  const found = unwell[0] ?? placed[0];
  return found ? boxOf(found) : { x: 0, y: 0, width: 0, height: 0 };
}

/** Part of the width that the panel takes; see panel.css. */
const panelPart = 0.6;

function holds(node: DisplayNode, key: string | undefined): boolean {
  if (key === undefined) return false;
  return node.item?.key === key || (node.shape === "pods" && node.members.some((pod) => pod.key === key));
}

const arrows: readonly string[] = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"];
const isArrow = (key: string): key is Direction => arrows.includes(key);

export function TreeGraph({ root, draw, selected, onToggle, name }: Props) {
  const element = useRef<HTMLDivElement>(null);
  const layout = useMemo(() => layoutTree(root, spacing), [root]);
  const matters = useMemo(() => culpritBox(layout), [layout]);
  const [cursor, setCursor] = useState("application");
  const control = useViewBox(element, {
    layout,
    matters,
    name,
    on: cursor === "application" ? undefined : cursor,
  });
  const { current, onKeyDown, onFocus } = useCursor({
    element,
    layout,
    control,
    onToggle,
    cursor,
    setCursor,
  });
  useShown(selected, layout, control);
  const part = shownPart(control.view, control.window);
  const shown = layout.placed.filter((entry) => overlaps(boxOf(entry), part) || entry === current);
  const { x, y, scale } = control.view;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a picture that moves, not a set of fields
    <div
      ref={element}
      className="graph"
      role="group"
      aria-label="Resource tree. Arrow keys follow the edges, Enter opens, Space folds. The list holds the same."
      onKeyDown={onKeyDown}
      onFocus={onFocus}
      {...control.drag}
    >
      <div className="graph-picture" style={{ transform: `translate(${x}px, ${y}px) scale(${scale})` }}>
        <Edges layout={layout} part={part} />
        {shown.map((entry) => (
          <div
            key={entry.node.id}
            data-node={entry.node.id}
            className="graph-place"
            style={{
              transform: `translate(${entry.x}px, ${entry.y}px)`,
              width: nodeWidth,
              height: entry.node.height,
            }}
          >
            {draw(entry.node, entry === current)}
          </div>
        ))}
      </div>
      <ZoomTools control={control} />
    </div>
  );
}

/** Brings into view what a panel was opened for, once: from then on people move the picture. */
function useShown(selected: string | undefined, layout: Layout<DisplayNode>, control: ViewControl): void {
  const shown = useRef<string>(undefined);
  const { show, window } = control;
  useEffect(() => {
    if (window.width === 0 || shown.current === selected) return;
    const found = layout.placed.find(({ node }) => holds(node, selected));
    if (selected !== undefined && !found) return;
    shown.current = selected;
    if (found) show(boxOf(found), panelPart);
  }, [selected, layout, show, window]);
}

interface CursorInput {
  element: RefObject<HTMLElement | null>;
  layout: Layout<DisplayNode>;
  control: ViewControl;
  onToggle(id: string): void;
  cursor: string;
  setCursor(id: string): void;
}

/** The node that Tab reaches; arrow keys move it and bring it into view. */
function useCursor({ element, layout, control, onToggle, cursor, setCursor }: CursorInput) {
  const wantsFocus = useRef(false);
  const current = layout.placed.find(({ node }) => node.id === cursor) ?? layout.placed[0];
  useEffect(() => {
    if (!wantsFocus.current) return;
    wantsFocus.current = false;
    const target = element.current?.querySelector<HTMLElement>(`[data-node="${CSS.escape(cursor)}"] button`);
    target?.focus({ preventScroll: true });
  }, [cursor, element]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (!current) return;
    if (isArrow(event.key)) {
      const next = walk(layout.placed, current, event.key);
      wantsFocus.current = true;
      setCursor(next.node.id);
      control.show(boxOf(next));
    } else if (event.key === " " && current.node.open !== undefined) onToggle(current.node.id);
    else if (event.key === "+" || event.key === "=") control.zoom(1.2);
    else if (event.key === "-") control.zoom(1 / 1.2);
    else if (event.key === "0") control.fit();
    else return;
    event.preventDefault();
  };
  const onFocus = (event: FocusEvent) => {
    const id = event.target.closest<HTMLElement>("[data-node]")?.dataset.node;
    if (id) setCursor(id);
  };
  return { current, onKeyDown, onFocus };
}

function ZoomTools({ control }: { control: ViewControl }) {
  const tools = [
    { icon: "plus", label: "Zoom in", hint: "Zoom in (+)", act: () => control.zoom(1.25) },
    { icon: "minus", label: "Zoom out", hint: "Zoom out (-)", act: () => control.zoom(0.8) },
    {
      icon: "fit",
      label: "Fit",
      hint: "Show all, or what is wrong in a size that can be read (0)",
      act: control.fit,
    },
  ] as const;
  return (
    <div className="graph-tools">
      {tools.map(({ icon, label, hint, act }) => (
        <Button key={icon} look="quiet" icon={icon} aria-label={label} title={hint} onClick={act} />
      ))}
    </div>
  );
}

function Edges({ layout, part }: { layout: Layout<DisplayNode>; part: Box }) {
  const lines = layout.placed.flatMap(({ node, parent, x, y }) => {
    if (!parent) return [];
    const from = { x: parent.x + nodeWidth, y: parent.y + parent.node.height / 2 };
    const to = { x, y: y + node.height / 2 };
    const box = {
      x: from.x,
      y: Math.min(from.y, to.y),
      width: to.x - from.x,
      height: Math.abs(to.y - from.y) + 1,
    };
    return overlaps(box, part) ? [<path key={node.id} d={edgePath(from, to)} />] : [];
  });
  return (
    <svg className="graph-edges" width={layout.width} height={layout.height} aria-hidden="true">
      {lines}
    </svg>
  );
}
