import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Queue } from "./queue.ts";

test("what was pushed leaves in its order, and is found by its place, however often the others have moved up", () => {
  const queue = new Queue<{ number: number }>();
  let [pushed, left] = [0, 0];
  for (let round = 0; round < 50; round += 1) {
    for (let time = 0; time < 100; time += 1) queue.push({ number: pushed++ });
    for (let time = 0; time < 90; time += 1) assert.equal(queue.shift()?.number, left++);
    assert.equal(queue.length, pushed - left);
    const place = queue.firstWhere(({ number }) => number >= pushed - 5);
    assert.deepEqual(
      queue.from(place).map(({ number }) => number),
      [5, 4, 3, 2, 1].map((before) => pushed - before),
    );
    assert.deepEqual(
      [queue.firstWhere(() => true), queue.firstWhere(() => false), queue.from(queue.length)],
      [0, queue.length, []],
    );
  }
  while (queue.length > 0) assert.equal(queue.shift()?.number, left++);
  assert.deepEqual([queue.shift(), queue.from(0), queue.firstWhere(() => true)], [undefined, [], 0]);
});

test("what has left is held no more", async () => {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  assert.ok(typeof collect === "function");
  const queue = new Queue<object>();
  const values = Array.from({ length: 100 }, (_, number) => new WeakRef(pushed(queue, { number })));
  for (let time = 0; time < 60; time += 1) queue.shift();
  await setImmediate();
  collect();
  assert.equal(values.filter((value) => value.deref()).length, 40);
  assert.equal(queue.length, 40);
});

function pushed(queue: Queue<object>, value: object): object {
  queue.push(value);
  return value;
}
