import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useState } from "react";
import { shortRevision } from "../../parts/application-facts.ts";
import { paths } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { Glyph, StateTag } from "../../primitives/glyph.tsx";
import { MiddleCut } from "../../primitives/middle-cut.tsx";
import { healthLook } from "../../primitives/states.ts";
import { TimeAgo } from "../../primitives/time-ago.tsx";
import { syncStateLook } from "./app-row.tsx";
import type { ListContent, Row } from "./list-rows.ts";
import { causeOf, type RowFacts } from "./row-facts.ts";
import type { KeptScroll } from "./use-kept-scroll.ts";

const tileWidth = 300;
const tileHeight = 128;
const headingHeight = 40;

type Line = { kind: "heading"; label: string } | { kind: "tiles"; apps: RowFacts[] };

/** Lines of as many tiles as fit; a group begins a new line. */
export function tileLines(rows: readonly Row[], across: number): Line[] {
  const lines: Line[] = [];
  let open: RowFacts[] | undefined;
  for (const row of rows) {
    if (row.kind === "group") {
      lines.push({ kind: "heading", label: row.label || "(none)" });
      open = undefined;
      continue;
    }
    if (!open || open.length === across) {
      open = [];
      lines.push({ kind: "tiles", apps: open });
    }
    open.push(row.app);
  }
  return lines;
}

interface Props {
  content: ListContent;
  current: string | undefined;
  scroll: KeptScroll;
}

export function Tiles({ content, current, scroll: { scroller, firstTop, onScroll } }: Props) {
  const [across, setAcross] = useState(4);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const watch = new ResizeObserver(() =>
      setAcross(Math.max(1, Math.floor(element.clientWidth / tileWidth))),
    );
    watch.observe(element);
    return () => watch.disconnect();
  }, [scroller]);
  useLayoutEffect(() => {
    if (scroller.current && firstTop > 0) scroller.current.scrollTop = firstTop;
  }, [scroller, firstTop]);
  const lines = tileLines(content.rows, across);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (lines[index]?.kind === "heading" ? headingHeight : tileHeight),
    overscan: 4,
  });
  return (
    <div className="tiles" ref={scroller} onScroll={onScroll}>
      <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const line = lines[index];
          if (!line) return null;
          const style = {
            transform: `translateY(${start}px)`,
            gridTemplateColumns: `repeat(${across}, minmax(0, 1fr))`,
          };
          return line.kind === "heading" ? (
            <h2 key={index} className="tile-heading" style={style}>
              {line.label}
            </h2>
          ) : (
            <div key={index} className="tile-line" style={style}>
              {line.apps.map((app) => (
                <Tile key={app.key} app={app} current={app.key === current} />
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Tile({ app, current }: { app: RowFacts; current: boolean }) {
  const health = healthLook(app.health);
  return (
    <Anchor href={paths.application(app)} className={`tile edge-${health.tone}${current ? " current" : ""}`}>
      <span className="tile-name">
        <MiddleCut text={app.name} />
      </span>
      <span className="tile-states">
        <StateTag look={health} />
        <StateTag look={syncStateLook(app)} />
      </span>
      {app.problem ? (
        <span className="tile-line-text bad-text" title={app.problem}>
          <Glyph name="cross" tone="bad" /> {causeOf(app)}
        </span>
      ) : (
        <span className="tile-line-text dim">
          {app.project} → {app.destinationNamespace || app.cluster}
        </span>
      )}
      <span className="tile-line-text dim">
        <code>{shortRevision(app.revision) || app.target}</code> ·{" "}
        <TimeAgo at={app.syncedAt} otherwise="never synced" />
      </span>
    </Anchor>
  );
}
