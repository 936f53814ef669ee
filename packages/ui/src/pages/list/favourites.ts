import { useSyncExternalStore } from "react";

const storageKey = "capstan.favourites";
const mostKept = 1_000;
const listeners = new Set<() => void>();
let favourites: ReadonlySet<string> = read();

function read(): ReadonlySet<string> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(storageKey) ?? "[]");
    return new Set(Array.isArray(kept) ? kept.filter((key) => typeof key === "string") : []);
  } catch {
    // Nothing kept, or nothing that can be read: there are none.
    return new Set();
  }
}

/** Of this browser: applications that somebody wants to find again, by their keys. */
export function useFavourites(): ReadonlySet<string> {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => favourites,
  );
}

export function toggleFavourite(key: string): void {
  const next = new Set(favourites);
  if (!next.delete(key)) next.add(key);
  favourites = new Set([...next].slice(-mostKept));
  try {
    localStorage.setItem(storageKey, JSON.stringify([...favourites]));
  } catch {
    // The browser keeps nothing: they last as long as the page is open.
  }
  for (const tell of listeners) tell();
}
