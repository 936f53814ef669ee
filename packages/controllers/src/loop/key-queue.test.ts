import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "@capstan/model";
import { KeyQueue } from "./key-queue.ts";
import type { LoopMetrics } from "./loop-metrics.ts";

const metrics: LoopMetrics = {
  added: () => undefined,
  started: () => undefined,
  finished: () => undefined,
  depth: () => undefined,
};

/** Time that stands still until it is moved. */
function stoppedClock(): Clock & { advance(ms: number): void } {
  let now = 0;
  const sleepers = new Set<{ until: number; wake: () => void }>();
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const sleeper = { until: now + ms, wake: resolve };
        sleepers.add(sleeper);
        signal.addEventListener("abort", () => {
          sleepers.delete(sleeper);
          reject(signal.reason);
        });
      }),
    advance(ms) {
      now += ms;
      for (const sleeper of [...sleepers]) {
        if (sleeper.until > now) continue;
        sleepers.delete(sleeper);
        sleeper.wake();
      }
    },
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a key that is added while it is worked on is worked on once more, and never twice at a time", async () => {
  const gate = Promise.withResolvers<void>();
  let running = 0;
  let runs = 0;
  await using queue = new KeyQueue({
    concurrency: 4,
    clock: stoppedClock(),
    metrics,
    work: async () => {
      running += 1;
      runs += 1;
      assert.equal(running, 1);
      await gate.promise;
      running -= 1;
    },
  });
  queue.add("a");
  await turn();
  for (let count = 0; count < 5; count += 1) queue.add("a");
  gate.resolve();
  await queue.idle();
  assert.equal(runs, 2);
});

test("no more keys are worked on than allowed", async () => {
  let running = 0;
  let most = 0;
  await using queue = new KeyQueue({
    concurrency: 2,
    clock: stoppedClock(),
    metrics,
    work: async () => {
      running += 1;
      most = Math.max(most, running);
      await turn();
      running -= 1;
    },
  });
  for (const key of ["a", "b", "c", "d", "e"]) queue.add(key);
  await queue.idle();
  assert.equal(most, 2);
});

test("of several delays the earliest counts, and a forgotten key does not come back", async () => {
  const clock = stoppedClock();
  const worked: string[] = [];
  await using queue = new KeyQueue({
    concurrency: 1,
    clock,
    metrics,
    work: async (key) => void worked.push(`${key} at ${clock.now()}`),
  });
  queue.addAfter("a", 100);
  queue.addAfter("a", 50);
  queue.addAfter("a", 200);
  queue.addAfter("b", 60);
  queue.forget("b");
  for (let count = 0; count < 30; count += 1) {
    clock.advance(10);
    await turn();
    await queue.idle();
  }
  assert.deepEqual(worked, ["a at 50"]);
});

test("closing ends the work that is under way", async () => {
  const queue = new KeyQueue({
    concurrency: 1,
    clock: stoppedClock(),
    metrics,
    work: (_key, signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
  });
  queue.add("a");
  await turn();
  await queue[Symbol.asyncDispose]();
  queue.add("b");
  await queue.idle();
});
