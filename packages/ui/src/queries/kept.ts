import { useSyncExternalStore } from "react";

const values = new Map<string, unknown>();
const listeners = new Set<() => void>();

/**
 * A value that outlives the component that shows it, as long as the page is open and nobody signs out. A change is
 * shown before its event ends: a field that React finds unchanged then gets its former value back, and the caret jumps.
 */
export function useKept<T>(key: readonly unknown[]): [T | undefined, (value: T | undefined) => void] {
  const name = JSON.stringify(key);
  const value = useSyncExternalStore(subscribe, () => values.get(name) as T | undefined);
  return [value, (next) => keep(name, next)];
}

/** What one person has typed is not shown to the next. */
export function forgetKept(): void {
  values.clear();
  tell();
}

function keep(name: string, value: unknown): void {
  if (value === undefined) values.delete(name);
  else values.set(name, value);
  tell();
}

function tell(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
