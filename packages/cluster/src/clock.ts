import { setTimeout as wait } from "node:timers/promises";
import type { Clock } from "@capstan/flow";

// Node's timers take no more than this at once.
const longestWaitMs = 2_147_483_647;

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    const end = Date.now() + ms;
    for (let left = ms; left > 0; left = end - Date.now())
      await wait(Math.min(left, longestWaitMs), undefined, { signal });
    signal.throwIfAborted();
  },
};
