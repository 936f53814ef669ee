import assert from "node:assert/strict";
import { test } from "node:test";
import { CoalescingQueue } from "./coalescing-queue.ts";

test("a slow reader gets the newest of each key, in the order of the changes", async () => {
  const queue = new CoalescingQueue<string>();
  const { signal } = new AbortController();
  queue.push("a", "a1");
  queue.push("b", "b1");
  queue.push("a", "a2");
  assert.equal(await queue.take(signal), "b1");
  assert.equal(await queue.take(signal), "a2");
});

test("a waiting reader is woken by a value, and by the end", async () => {
  const queue = new CoalescingQueue<string>();
  const end = new AbortController();
  const first = queue.take(end.signal);
  queue.push("a", "a1");
  assert.equal(await first, "a1");
  const second = queue.take(end.signal);
  end.abort(new Error("over"));
  await assert.rejects(second, /over/);
});
