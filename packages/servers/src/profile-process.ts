import { Session } from "node:inspector/promises";
import type { Readable } from "node:stream";
import { getHeapSnapshot, getHeapStatistics } from "node:v8";
import type { Clock } from "@capstan/flow";

/** Bytes; how many of each kind are open. */
export interface MemoryFacts {
  readonly process: NodeJS.MemoryUsage;
  readonly heap: ReturnType<typeof getHeapStatistics>;
  /** Timers, sockets, requests … that keep the process busy. */
  readonly resources: Readonly<Record<string, number>>;
}

export function readMemory(): MemoryFacts {
  const kinds = Map.groupBy(process.getActiveResourcesInfo(), (kind) => kind);
  const counts = Array.from(kinds, ([kind, some]) => [kind, some.length] as const);
  return {
    process: process.memoryUsage(),
    heap: getHeapStatistics(),
    resources: Object.fromEntries(counts.toSorted(([one], [other]) => one.localeCompare(other))),
  };
}

/** In V8's format, which Chrome's tools read. The process does nothing else while it is made. */
export function readHeap(): Readable {
  return getHeapSnapshot();
}

/** What the main thread did for so long, in V8's format (.cpuprofile). */
export async function profileCpu(ms: number, clock: Clock, signal: AbortSignal): Promise<string> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.start");
    await clock.sleep(ms, signal);
    const { profile } = await session.post("Profiler.stop");
    return JSON.stringify(profile);
  } finally {
    session.disconnect();
  }
}
