import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "@capstan/flow";

/** The machine's clock, which every program passes on as a value. */
export const clock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    await sleep(ms, undefined, { signal });
  },
};

/** Capstan's version, as package.json has it. */
export function ownVersion(): string {
  return JSON.parse(readFileSync(join(import.meta.dirname, "..", "..", "package.json"), "utf8")).version;
}
