import { useSyncExternalStore } from "react";
import { paths, readSearch } from "../paths.ts";

/** How the list was left, so that the way back leads to the same place; as long as the page is open. */
interface LeftList {
  readonly search: string;
  readonly top: number;
  /** Key of the application that the cursor stood on. */
  readonly cursor: string | undefined;
}

let left: LeftList | undefined;
const listeners = new Set<() => void>();

export function leaveList(state: LeftList): void {
  left = state;
  for (const tell of listeners) tell();
}

/** What was left, if it was this view. */
export function leftList(search: string): LeftList | undefined {
  return left?.search === search ? left : undefined;
}

/** As `listHref`, for a link: another one when the list is left. */
export function useListHref(): string {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, listHref);
}

/** The way back to the list as it was left. */
export function listHref(): string {
  return paths.applications(readSearch(left?.search ?? ""));
}
