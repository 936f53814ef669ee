import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "@capstan/flow";

/** The machine's clock, for programs of an author's own, which are given none. */
export const clock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    await sleep(ms, undefined, { signal });
  },
};
