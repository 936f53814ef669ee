import { useSyncExternalStore } from "react";

const query = window.matchMedia("(max-width: 720px)");

/** The width below which rows take two lines; the style sheets use the same. */
export function useNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      query.addEventListener("change", listener);
      return () => query.removeEventListener("change", listener);
    },
    () => query.matches,
  );
}
