import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock } from "@capstan/flow";

/**
 * Before it collects, V8 lets a heap grow to twice what it holds and more, and gives little of it back. A program that
 * mostly holds what it has read lets it grow by three tenths. While it starts, what it reads stays: room for what is
 * short-lived need not grow until `giveBackMemory`.
 */
export function keepHeapSmall(): void {
  setFlagsFromString("--heap-growing-percent=30");
  setFlagsFromString("--semi-space-growth-factor=1");
}

/**
 * Gives back what starting has left behind: V8 would wait for as much again. Of the last resort, for only that makes the
 * room of what is short-lived small again. Takes some 200 ms for 10,000 Applications.
 */
export function giveBackMemory(): void {
  garbageCollector()?.({ type: "major", execution: "sync", flavor: "last-resort" });
  setFlagsFromString("--semi-space-growth-factor=2");
}

/** V8's own, of this thread; none while another thread asks for its own, for flags are those of the process. */
export function garbageCollector(): typeof globalThis.gc {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("globalThis.gc");
  setFlagsFromString("--no-expose-gc");
  return typeof collect === "function" ? (options) => collect(options) : undefined;
}

const lookMs = 20_000;
/** Of what it took when it last gave back; and of the time between two looks. */
const [grown, quiet] = [1.1, 0.05];

interface Watched {
  readonly clock: Pick<Clock, "sleep">;
  readonly signal: AbortSignal;
  /** Bytes that the process takes; the part of the time that it was busy since it was last asked. */
  readonly taken: () => number;
  readonly busy: () => number;
  readonly giveBack: () => void;
}

/** What a burst of work has left behind is given back once it is quiet: V8 itself waits for the next burst. */
export async function giveBackWhenQuiet(watched: Watched): Promise<void> {
  const { clock, signal, taken, busy, giveBack } = watched;
  let least = taken();
  while (!signal.aborted) {
    await clock.sleep(lookMs, signal).catch(() => undefined);
    const isQuiet = busy() < quiet;
    if (signal.aborted || !isQuiet || taken() < least * grown) continue;
    giveBack();
    least = taken();
  }
}

/** This process, as `giveBackWhenQuiet` looks at it. */
export function ownMemory(): Pick<Watched, "taken" | "busy" | "giveBack"> {
  let last = performance.eventLoopUtilization();
  return {
    taken: () => process.memoryUsage.rss(),
    busy() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
    giveBack: giveBackMemory,
  };
}

/** Capstan's version, as package.json has it. */
export function ownVersion(): string {
  return JSON.parse(readFileSync(join(import.meta.dirname, "..", "..", "package.json"), "utf8")).version;
}
