import {
  type PointerEvent as ReactPointerEvent,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import type { DisplayNode } from "./display-tree.ts";
import { keepView, keptView } from "./kept-views.ts";
import type { Layout } from "./layout-tree.ts";
import { type Box, readableBox, reveal, type Size, steadied, type ViewBox, zoomAt } from "./view-box.ts";

export interface ViewControl {
  readonly view: ViewBox;
  readonly window: Size;
  fit(): void;
  zoom(factor: number): void;
  /** Brings a place into view, beside what covers that part of the width. */
  show(box: Box, covered?: number): void;
  readonly drag: {
    onPointerDown(event: ReactPointerEvent): void;
    onPointerMove(event: ReactPointerEvent): void;
    onPointerUp(event: ReactPointerEvent): void;
  };
}

type Change = (to: (old: ViewBox) => ViewBox) => void;

const noWindow: Size = { width: 0, height: 0 };

interface Picture {
  readonly layout: Layout<DisplayNode>;
  readonly matters: Box;
  /** What its view is kept by. */
  readonly name: string;
  /** Id of the node that people are on. */
  readonly on: string | undefined;
}

/** Pan, zoom and fit of the picture; begins where it matters, or as it was left, and then leaves the choice to people. */
export function useViewBox(
  element: RefObject<HTMLElement | null>,
  { layout, matters, name, on }: Picture,
): ViewControl {
  const [view, setView] = useState<ViewBox>(() => keptView(name).view ?? { x: 24, y: 24, scale: 1 });
  const [window, setWindow] = useState<Size>(noWindow);
  const touched = useRef(keptView(name).view !== undefined);
  const last = useRef<Layout<DisplayNode>>(undefined);
  useWindowSize(element, setWindow);
  // Only what the picture is moves it, not where people stand in it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useLayoutEffect(() => {
    if (window.width === 0) return;
    const before = last.current;
    last.current = layout;
    // The tree comes after the list of objects; until then there was little to look at.
    const isNew = !before || before === layout || layout.placed.length > 2 * before.placed.length;
    const begun = readableBox(layout, window, matters);
    if (!touched.current && isNew) setView(begun);
    else if (before && before !== layout)
      setView((old) => steadied(old, window, { before: before.placed, after: layout.placed, on, begun }));
  }, [layout, window]);
  useEffect(() => {
    if (touched.current) keepView(name, { view });
  }, [name, view]);
  const change = useCallback((to: (old: ViewBox) => ViewBox) => {
    touched.current = true;
    setView(to);
  }, []);
  useWheel(element, change);
  const show = useCallback(
    (box: Box, covered = 0) => {
      if (window.width === 0) return;
      const free = { width: window.width * (1 - covered), height: window.height };
      change((old) => reveal(old, box, free));
    },
    [change, window],
  );
  return {
    view,
    window,
    fit: () => change(() => readableBox(layout, window, matters)),
    zoom: (factor) => change((old) => zoomAt(old, factor, { x: window.width / 2, y: window.height / 2 })),
    show,
    drag: useDrag(change),
  };
}

function useDrag(change: Change): ViewControl["drag"] {
  const from = useRef<{ x: number; y: number } | undefined>(undefined);
  return {
    onPointerDown(event) {
      const onControl = event.target instanceof Element && event.target.closest("button, a");
      if (event.button !== 0 || onControl) return;
      from.current = { x: event.clientX, y: event.clientY };
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove(event) {
      const last = from.current;
      if (!last) return;
      from.current = { x: event.clientX, y: event.clientY };
      change((old) => ({ ...old, x: old.x + event.clientX - last.x, y: old.y + event.clientY - last.y }));
    },
    onPointerUp() {
      from.current = undefined;
    },
  };
}

/** A listener of its own: React's are passive, and the page must not scroll along. */
function useWheel(element: RefObject<HTMLElement | null>, change: Change): void {
  useEffect(() => {
    const target = element.current;
    if (!target) return;
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const { deltaX, deltaY, ctrlKey, shiftKey } = event;
      const bounds = target.getBoundingClientRect();
      const at = { x: event.clientX - bounds.left, y: event.clientY - bounds.top };
      if (shiftKey) change((old) => ({ ...old, x: old.x - deltaY - deltaX }));
      else if (Math.abs(deltaX) > Math.abs(deltaY)) change((old) => ({ ...old, x: old.x - deltaX }));
      else change((old) => zoomAt(old, Math.exp(-deltaY * (ctrlKey ? 0.01 : 0.0015)), at));
    };
    target.addEventListener("wheel", onWheel, { passive: false });
    return () => target.removeEventListener("wheel", onWheel);
  }, [element, change]);
}

function useWindowSize(element: RefObject<HTMLElement | null>, tell: (size: Size) => void): void {
  useEffect(() => {
    const target = element.current;
    if (!target) return;
    const watch = new ResizeObserver(() => tell({ width: target.clientWidth, height: target.clientHeight }));
    watch.observe(target);
    return () => watch.disconnect();
  }, [element, tell]);
}
