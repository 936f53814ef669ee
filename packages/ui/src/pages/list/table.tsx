import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef } from "react";
import { Icon } from "../../primitives/icon.tsx";
import { useNarrow } from "../../primitives/narrow.ts";
import { AppRow } from "./app-row.tsx";
import { columnClass, columns, columnTracks } from "./columns.ts";
import { GroupRow } from "./group-row.tsx";
import type { ListContent, Row } from "./list-rows.ts";
import { type ListView, sortedBy } from "./list-view.ts";
import type { KeptScroll } from "./use-kept-scroll.ts";
import type { Selection } from "./use-selection.ts";

interface Props {
  content: ListContent;
  view: ListView;
  selection: Selection;
  favourites: ReadonlySet<string>;
  scroll: KeptScroll;
  current: string | undefined;
  onChange(view: ListView): void;
}

const tracks = columnTracks();
const rowHeight = { wide: 40, narrow: 74 } as const;

export function Table({ content, view, selection, favourites, scroll, current, onChange }: Props) {
  const { scroller, firstTop, onScroll } = scroll;
  const narrow = useNarrow();
  const height = narrow ? rowHeight.narrow : rowHeight.wide;
  const virtual = useVirtualizer({
    count: content.rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 12,
    initialOffset: firstTop,
  });
  const isCurrent = (row: Row) => row.kind === "app" && row.app.key === current;
  const at = current === undefined ? -1 : content.rows.findIndex(isCurrent);
  const shown = useRef(current);
  useEffect(() => {
    // Only where the cursor was moved: coming back, the list stands as it was left.
    const isMoved = at >= 0 && shown.current !== current;
    shown.current = current;
    if (!isMoved) return;
    virtual.scrollToIndex(at, { align: "auto" });
    // The row may only come with the next picture.
    const frame = requestAnimationFrame(() => {
      const link = scroller.current?.querySelector<HTMLElement>(".app-row.current .row-link");
      link?.focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(frame);
  }, [at, current, virtual, scroller]);
  useLayoutEffect(() => {
    if (scroller.current && firstTop > 0) scroller.current.scrollTop = firstTop;
  }, [scroller, firstTop]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: heights must be measured anew when they change
  useEffect(() => virtual.measure(), [height]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: virtual rows are positioned, which a table element does not allow
    <div
      className="table"
      style={tracks}
      role="table"
      aria-label="Applications"
      aria-rowcount={content.rows.length + 1}
      ref={scroller}
      onScroll={onScroll}
    >
      <Head {...{ content, view, selection, onChange }} />
      {/* biome-ignore lint/a11y/useSemanticElements: see Table */}
      <div role="rowgroup" className="table-body" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start, key }) => {
          const row = content.rows[index];
          if (!row) return null;
          const place = { top: start, height, index: index + 2 };
          return row.kind === "group" ? (
            <GroupRow key={key} group={row} place={place} />
          ) : (
            <AppRow
              key={key}
              app={row.app}
              {...place}
              selection={selection.acts}
              selected={selection.keys.has(row.app.key)}
              current={row.app.key === current}
              favourite={favourites.has(row.app.key)}
            />
          );
        })}
      </div>
    </div>
  );
}

function Head({ content, view, selection, onChange }: Omit<Props, "current" | "favourites" | "scroll">) {
  const all = selection.keys.size > 0 && selection.keys.size === content.shown;
  return (
    // biome-ignore lint/a11y/useSemanticElements: see Table
    // biome-ignore lint/a11y/useFocusableInteractive: rows of a table are not focused, their links are
    <div className="row head" role="row" aria-rowindex={1}>
      {/* biome-ignore lint/a11y/useSemanticElements: see Table */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: its checkbox is */}
      <span className="col-select" role="columnheader">
        <input
          type="checkbox"
          aria-label="Select all shown"
          checked={all}
          onChange={(event) => selection.setAll(event.target.checked)}
        />
      </span>
      {columns.map(({ key, label }) => {
        const sorted = view.sort === key;
        return (
          // biome-ignore lint/a11y/useSemanticElements: see Table
          // biome-ignore lint/a11y/useFocusableInteractive: its button is
          <span
            key={key}
            role="columnheader"
            className={columnClass(key)}
            aria-sort={sorted ? (view.descending ? "descending" : "ascending") : "none"}
          >
            <button type="button" className="sort" onClick={() => onChange(sortedBy(view, key))}>
              {label}
              {sorted && <Icon name="down" size={12} />}
            </button>
          </span>
        );
      })}
    </div>
  );
}
