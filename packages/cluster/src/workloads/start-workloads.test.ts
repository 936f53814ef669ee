import assert from "node:assert/strict";
import { test } from "node:test";
import type { Controller, LogEntry } from "./controller.ts";
import { startWorkloads } from "./start-workloads.ts";
import { ManualClock, MemoryObjects } from "./test-world.ts";

test("a controller that meets what it cannot read is told, and the others do their work", async (t) => {
  const clock = new ManualClock();
  const objects = new MemoryObjects(clock);
  const stop = new AbortController();
  t.after(() => stop.abort());
  const told: LogEntry[] = [];
  const worked: string[] = [];
  const controller = (name: string): Controller => ({
    name,
    watches: [],
    reconcile: async (key) => {
      worked.push(`${name} ${key}`);
      return undefined;
    },
  });
  const broken: Controller = {
    ...controller("broken"),
    get watches(): never {
      throw new Error("stored text is not a Kubernetes object");
    },
  };
  const workloads = startWorkloads({
    objects,
    clock,
    podReadyDelayMs: 1,
    controllers: [
      { make: () => broken, firstKeys: ["first"] },
      { make: () => controller("whole"), firstKeys: ["first"] },
    ],
    signal: stop.signal,
    log: (entry) => told.push(entry),
  });
  await workloads.idle();
  assert.deepEqual(worked, ["whole first"]);
  assert.deepEqual(
    told.map(({ level, message }) => [level, message]),
    [["error", "broken does not run"]],
  );
});
