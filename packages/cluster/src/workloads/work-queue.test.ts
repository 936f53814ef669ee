import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../types.ts";
import { ManualClock } from "./test-world.ts";
import { WorkQueue } from "./work-queue.ts";

function queueOf(work: (key: string) => Promise<number | undefined>, concurrency = 8) {
  const clock = new ManualClock();
  const failures: unknown[] = [];
  const stop = new AbortController();
  const { signal } = stop;
  const failed = (_key: string, error: unknown) => failures.push(error);
  return {
    clock,
    failures,
    stop,
    queue: new WorkQueue({ concurrency, clock, signal, work, failed }),
  };
}

/** Long enough for the queue to have begun what it can. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test("a burst of changes is one piece of work, and a change while working is another", async () => {
  let runs = 0;
  const gate = Promise.withResolvers<void>();
  const { queue } = queueOf(async () => {
    runs += 1;
    if (runs === 1) await gate.promise;
    return undefined;
  });
  for (let at = 0; at < 100; at++) queue.add("a");
  await turns();
  for (let at = 0; at < 100; at++) queue.add("a");
  gate.resolve();
  await queue.drained();
  assert.equal(runs, 2);
});

test("no more run at once than may, and no key twice", async () => {
  const running: string[] = [];
  let most = 0;
  const { queue } = queueOf(async (key) => {
    assert.ok(!running.includes(key));
    running.push(key);
    most = Math.max(most, running.length);
    await new Promise((resolve) => setImmediate(resolve));
    running.splice(running.indexOf(key), 1);
    return undefined;
  }, 3);
  for (let at = 0; at < 30; at++) queue.add(`key ${at % 10}`);
  await queue.drained();
  assert.equal(most, 3);
});

test("a failure is tried again later and later; a conflict is no failure to tell of", async () => {
  let runs = 0;
  const { queue, clock, failures } = queueOf(async () => {
    runs += 1;
    if (runs === 1) throw new ApiError(409, "Conflict", "changed");
    if (runs === 2) throw new Error("no");
    return undefined;
  });
  queue.add("a");
  await queue.drained();
  assert.deepEqual([runs, failures.length], [1, 0]);
  clock.moveTowards(clock.now() + 5);
  await turns();
  assert.deepEqual([runs, failures.length], [2, 1]);
  clock.moveTowards(clock.now() + 9);
  await turns();
  assert.equal(runs, 2);
  clock.moveTowards(clock.now() + 1);
  await turns();
  assert.equal(runs, 3);
});

test("an aborted queue does nothing more", async () => {
  let runs = 0;
  const { queue, stop, clock } = queueOf(async () => {
    runs += 1;
    return 10;
  });
  queue.add("a");
  await queue.drained();
  stop.abort();
  clock.moveTowards(clock.now() + 100);
  queue.add("b");
  await turns();
  assert.equal(runs, 1);
});
