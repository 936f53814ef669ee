import type { Clock } from "@capstan/flow";
import { realClock } from "./real-clock.ts";

/** Time that passes as it does everywhere, from a time of the test's choice, and that a test can move forward. */
interface MovedClock extends Clock {
  advance(ms: number): void;
}

export function movedClock(startMs: number = realClock.now()): MovedClock {
  let aheadMs = startMs - realClock.now();
  const sleepers = new Set<AbortController>();
  const now = () => realClock.now() + aheadMs;
  return {
    now,
    async sleep(ms, signal) {
      const until = now() + ms;
      // At least once: who sleeps for no time lets others do their work.
      do {
        const moved = new AbortController();
        sleepers.add(moved);
        const either = AbortSignal.any([signal, moved.signal]);
        try {
          await realClock.sleep(Math.max(0, until - now()), either);
        } catch {
          signal.throwIfAborted();
        } finally {
          sleepers.delete(moved);
        }
      } while (now() < until);
    },
    advance(ms) {
      aheadMs += ms;
      for (const sleeper of sleepers) sleeper.abort();
    },
  };
}
