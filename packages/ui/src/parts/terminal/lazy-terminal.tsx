import { lazyPart } from "../../primitives/lazy-part.tsx";

/** The terminal comes when somebody wants one. */
export const TerminalView = lazyPart("The terminal", () => import("./terminal-view.tsx"), {
  rows: 8,
  height: 20,
});
