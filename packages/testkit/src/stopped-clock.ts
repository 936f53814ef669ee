import type { Clock } from "@capstan/flow";
/** Time that stands still until it is moved. */
export interface StoppedClock extends Clock {
  /** Wakes those whose time has come one after the other, each at its own time, and lets them do their work. */
  advance(ms: number): Promise<void>;
}

export function stoppedClock(startMs = 0): StoppedClock {
  let now = startMs;
  const sleepers = new Set<{ until: number; wake: () => void }>();
  const next = (limit: number) => {
    const due = [...sleepers].filter(({ until }) => until <= limit);
    return due.reduce<(typeof due)[number] | undefined>(
      (first, one) => (first && first.until <= one.until ? first : one),
      undefined,
    );
  };
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) {
          reject(signal.reason);
          return;
        }
        const stop = () => {
          sleepers.delete(sleeper);
          reject(signal.reason);
        };
        const wake = () => {
          signal.removeEventListener("abort", stop);
          resolve();
        };
        const sleeper = { until: now + Math.max(0, ms), wake };
        sleepers.add(sleeper);
        signal.addEventListener("abort", stop, { once: true });
      }),
    async advance(ms) {
      const end = now + ms;
      for (let sleeper = next(end); sleeper; sleeper = next(end)) {
        sleepers.delete(sleeper);
        now = Math.max(now, sleeper.until);
        sleeper.wake();
        await turn();
      }
      now = end;
      await turn();
    },
  };
}

/** Lets everything that is ready run. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
