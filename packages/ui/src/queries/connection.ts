import { useSyncExternalStore } from "react";
import type { Connection } from "../streams/keep-live.ts";

/** The worst of them is what people see. */
const streams = new Map<string, Connection>();
const listeners = new Set<() => void>();
const idle: Connection = { state: "idle" };
let worst = idle;

const order = { lost: 0, refused: 1, connecting: 2, live: 3, idle: 4 } as const;

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
