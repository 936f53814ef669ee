import type { Clock } from "./clock.ts";
import { orAborted } from "./shared-calls.ts";

/** A timer that is set for longer rings at once, as one for what is over, of which Node warns. */
const longestTimerMs = 2 ** 31 - 1;

/** The machine's time. A program hands it on as a value. */
export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    for (let left = ms; ; left -= longestTimerMs) {
      await ring(Math.max(0, Math.min(left, longestTimerMs)), signal);
      if (left <= longestTimerMs) return;
    }
  },
};

async function ring(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  try {
    await orAborted(promise, signal);
  } finally {
    clearTimeout(timer);
  }
}
