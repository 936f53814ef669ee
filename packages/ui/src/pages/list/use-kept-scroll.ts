import { type RefObject, useLayoutEffect, useRef } from "react";
import { leaveList, leftList } from "../../parts/list-memory.ts";
import { paths } from "../../paths.ts";
import { usePathname } from "../../url-state.ts";

/** The element that scrolls the list, and where it was left. */
export interface KeptScroll {
  readonly scroller: RefObject<HTMLDivElement | null>;
  /** In pixels; 0 where this view was not left before. */
  readonly firstTop: number;
  onScroll(): void;
}

/** Remembers on the way out where the list of this address stood; `cursor` is the application it stood on. */
export function useKeptScroll(place: string, cursor: string | undefined): KeptScroll {
  const scroller = useRef<HTMLDivElement>(null);
  const firstTop = useRef(leftList(place)?.top ?? 0);
  const latest = useRef({ search: place, top: firstTop.current, cursor });
  // The address is already another page's while this one goes.
  const isHere = usePathname() === paths.applications();
  if (isHere && latest.current.search !== place) latest.current = { search: place, top: 0, cursor };
  if (isHere) latest.current.cursor = cursor;
  useLayoutEffect(() => () => leaveList(latest.current), []);
  const onScroll = () => {
    latest.current.top = scroller.current?.scrollTop ?? 0;
  };
  return { scroller, firstTop: firstTop.current, onScroll };
}
