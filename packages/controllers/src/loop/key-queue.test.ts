import assert from "node:assert/strict";
import { test } from "node:test";
import { stoppedClock, turn } from "@capstan/testkit";
import { KeyQueue, type KeyQueueOptions } from "./key-queue.ts";
import type { LoopMetrics } from "./loop-metrics.ts";

const metrics: LoopMetrics = {
  name: "test",
  added: () => undefined,
  started: () => undefined,
  finished: () => undefined,
  depth: () => undefined,
};

function openQueue(options: Partial<KeyQueueOptions> & Pick<KeyQueueOptions, "work">) {
  const lines: string[] = [];
  const clock = stoppedClock();
  const note = (_: object, message: string) => void lines.push(message);
  const queue = new KeyQueue({
    concurrency: 4,
    clock,
    metrics,
    nextAt: () => undefined,
    log: { warn: note, error: note },
    ...options,
  });
  return { queue, clock, lines, [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose]() };
}

test("a key that is added while it is worked on is worked on once more, and never twice at a time", async () => {
  const gate = Promise.withResolvers<void>();
  let running = 0;
  let runs = 0;
  await using place = openQueue({
    work: async () => {
      running += 1;
      runs += 1;
      assert.equal(running, 1);
      await gate.promise;
      running -= 1;
    },
  });
  const { queue } = place;
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
  await using place = openQueue({
    concurrency: 2,
    work: async () => {
      running += 1;
      most = Math.max(most, running);
      await turn();
      running -= 1;
    },
  });
  const { queue } = place;
  for (const key of ["a", "b", "c", "d", "e"]) queue.add(key);
  await queue.idle();
  assert.equal(most, 2);
});

test("a key is worked on at the time that is asked for last, be it later or earlier than the one before", async () => {
  const due = new Map<string, number>();
  const worked: string[] = [];
  await using place = openQueue({
    nextAt: (key) => due.get(key),
    work: async (key) => {
      worked.push(`${key} at ${place.clock.now()}`);
      due.delete(key);
    },
  });
  const { queue, clock } = place;
  const asked: [string, number][] = [
    ["a", 50],
    ["a", 100],
    ["b", 90],
    ["b", 40],
    ["c", 60],
  ];
  for (const [key, at] of asked) {
    due.set(key, at);
    queue.rearm(key);
  }
  due.delete("c");
  queue.forget("c");
  for (let count = 0; count < 30; count += 1) {
    await clock.advance(10);
    await queue.idle();
  }
  assert.deepEqual(worked, ["b at 40", "a at 100"]);
});

test("a key whose time moved while it was worked on is worked on at the new time", async () => {
  let due: number | undefined = 100;
  const worked: number[] = [];
  await using place = openQueue({
    nextAt: () => due,
    work: async () => {
      worked.push(place.clock.now());
      due = place.clock.now() + 100;
    },
  });
  const { queue, clock } = place;
  queue.rearm("a");
  await clock.advance(60);
  queue.add("a");
  await queue.idle();
  for (let count = 0; count < 30; count += 1) await clock.advance(10);
  assert.deepEqual(worked, [60, 160, 260, 360]);
});

test("a key that asks for work without a pause is held back, said once, and free again after a pause", async () => {
  let isBusy = true;
  let runs = 0;
  await using place = openQueue({
    nextAt: () => (isBusy ? 0 : undefined),
    work: async () => {
      runs += 1;
      assert.ok(runs < 1000, "it spins");
    },
  });
  const { queue, clock, lines } = place;
  queue.add("a");
  for (let count = 0; count < 1000; count += 1) await turn();
  assert.ok(runs <= 201, `${runs} runs`);
  const before = runs;
  for (let second = 0; second < 20; second += 1) await clock.advance(1000);
  assert.ok(runs - before <= 40, `${runs - before} runs in 20 seconds`);
  assert.ok(runs > before);
  assert.equal(lines.length, 1);
  isBusy = false;
  await clock.advance(60_000);
  const calm = runs;
  for (let count = 0; count < 5; count += 1) {
    queue.add("a");
    await queue.idle();
  }
  assert.equal(runs, calm + 5);
});

test("work that rejects is said and done again", async () => {
  let runs = 0;
  await using place = openQueue({
    work: async () => {
      runs += 1;
      if (runs === 1) throw new Error("out of order");
    },
  });
  place.queue.add("a");
  await turn();
  assert.deepEqual(place.lines, ["the work on an object broke off"]);
  await place.clock.advance(60_000);
  await place.queue.idle();
  assert.equal(runs, 2);
});

test("closing ends the work that is under way", async () => {
  const { queue } = openQueue({
    work: (_key, signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
  });
  queue.add("a");
  await turn();
  await queue[Symbol.asyncDispose]();
  queue.add("b");
  await queue.idle();
});
