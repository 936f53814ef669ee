import assert from "node:assert/strict";
import { test } from "node:test";
import { stoppedClock, turn } from "@capstan/testkit";
import { KeyedQueue, type KeyedQueueOptions } from "./keyed-queue.ts";

function opened(options: Partial<KeyedQueueOptions> & Pick<KeyedQueueOptions, "work">) {
  const clock = stoppedClock();
  const failures: string[] = [];
  const failed = (key: string, error: unknown) => void failures.push(`${key}: ${error}`);
  return { clock, failures, queue: new KeyedQueue({ atOnce: 2, clock, failed, ...options }) };
}

test("keys are worked on in their order, as many at once as may, and none twice at a time", async () => {
  const began: string[] = [];
  const running = new Set<string>();
  const { queue } = opened({
    work: async (key) => {
      began.push(key);
      assert.ok(running.size < 2 && !running.has(key));
      running.add(key);
      await turn();
      if (key === "c") queue.add("a");
      running.delete(key);
    },
  });
  for (const key of ["a", "b", "c", "b", "c"]) queue.add(key);
  await queue.idle();
  assert.deepEqual(began, ["a", "b", "c", "b", "a"]);
});

test("what goes first takes turns with all that waits, also where it waits already, and counts once", async () => {
  const began: string[] = [];
  const first = new Set<string>();
  const waiting: number[] = [];
  const { queue } = opened({
    atOnce: 1,
    goesFirst: (key) => first.has(key),
    onChange: (state) => waiting.push(state.waiting),
    work: async (key) => {
      began.push(key);
      if (key !== "a" || began.length > 1) return;
      for (const later of ["b", "c", "d"]) queue.add(later);
      for (const one of ["c", "e"]) {
        first.add(one);
        queue.add(one);
      }
      queue.add("b");
    },
  });
  queue.add("a");
  await queue.idle();
  assert.deepEqual(began, ["a", "c", "b", "e", "d"]);
  assert.deepEqual(waiting, [0, 1, 2, 3, 3, 4, 3, 2, 1, 0, 0]);
});

test("a key is added at the time that was set last, and a time beyond the longest timer is kept", async () => {
  const worked: string[] = [];
  const { queue, clock } = opened({ work: async (key) => void worked.push(`${key} ${clock.now()}`) });
  queue.addAt("a", 500_000);
  queue.addAt("b", 100);
  queue.addAt("b", 200);
  queue.addAt("c", 100);
  queue.forget("c");
  assert.equal(queue.dueAt("b"), 200);
  for (let count = 0; count < 60; count += 1) await clock.advance(10_000);
  assert.deepEqual(
    worked.map((one) => one.split(" ")[0]),
    ["b", "a"],
  );
});

test("work that rejects is told, and the key can be worked on again", async () => {
  let runs = 0;
  const { queue, failures } = opened({
    work: async () => {
      runs += 1;
      if (runs === 1) throw new Error("no");
    },
  });
  queue.add("a");
  await queue.idle();
  queue.add("a");
  await queue.idle();
  assert.deepEqual([runs, failures], [2, ["a: Error: no"]]);
});

test("the signal ends what waits and tells what is under way; nothing is taken any more", async () => {
  const stop = new AbortController();
  const worked: string[] = [];
  const { queue, clock } = opened({
    atOnce: 1,
    signal: stop.signal,
    work: (key, { signal }) => {
      worked.push(key);
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
    },
  });
  queue.add("a");
  queue.add("b");
  queue.addAt("c", 100);
  await turn();
  stop.abort();
  queue.add("d");
  await queue.idle();
  await clock.advance(1000);
  assert.deepEqual(worked, ["a"]);
});
