import { useSyncExternalStore } from "react";

/** What the page knows of its streams; the worst of them is what people see. */
export interface Connection {
  /** Idle: this page follows nothing. */
  readonly state: "idle" | "connecting" | "live" | "lost";
  /** When the data on the screen was last known to be true. */
  readonly lastLiveAt?: number;
  readonly problem?: string;
}

const streams = new Map<string, Connection>();
const listeners = new Set<() => void>();
const idle: Connection = { state: "idle" };
let worst = idle;

const order = { lost: 0, connecting: 1, live: 2, idle: 3 } as const;

function publish(): void {
  const all = [...streams.values()].sort((left, right) => order[left.state] - order[right.state]);
  worst = all[0] ?? idle;
  for (const tell of listeners) tell();
}

export function reportStream(name: string, connection: Connection | undefined): void {
  if (connection === undefined) streams.delete(name);
  else streams.set(name, connection);
  publish();
}

export function useConnection(): Connection {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => worst,
  );
}
