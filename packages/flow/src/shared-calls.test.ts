import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { orAborted, SharedCalls } from "./shared-calls.ts";

const never = new AbortController().signal;

test("one who goes away does not end the call for others", async () => {
  const calls = new SharedCalls<string>();
  const gate = Promise.withResolvers<string>();
  let starts = 0;
  const start = () => {
    starts++;
    return gate.promise;
  };
  const leaving = new AbortController();
  const first = calls.join("key", start, leaving.signal);
  const second = calls.join("key", start, never);
  leaving.abort(new Error("gone"));
  await assert.rejects(first, /gone/);
  gate.resolve("done");
  assert.equal(await second, "done");
  assert.equal(starts, 1);
});

test("a call that all have left is aborted, and the next starts anew", async () => {
  const calls = new SharedCalls<string>();
  const signals: AbortSignal[] = [];
  const start = (signal: AbortSignal) => {
    signals.push(signal);
    return new Promise<string>((_resolve, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason)),
    );
  };
  const leaving = new AbortController();
  const first = calls.join("key", start, leaving.signal);
  leaving.abort(new Error("gone"));
  await assert.rejects(first, /gone/);
  assert.equal(signals[0]?.aborted, true);
  assert.equal(await calls.join("key", async () => "again", never), "again");
});

test("a failure reaches all who wait", async () => {
  const calls = new SharedCalls<string>();
  const start = async () => Promise.reject(new Error("broken"));
  const results = await Promise.allSettled([
    calls.join("key", start, never),
    calls.join("key", start, never),
  ]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ["rejected", "rejected"],
  );
});

test("thousands that wait by one signal cost it one listener, and none when they are done", async () => {
  const stopping = new AbortController();
  const gate = Promise.withResolvers<string>();
  const listeners = () => getEventListeners(stopping.signal, "abort").length;
  const done = Array.from({ length: 1_000 }, () => orAborted(gate.promise, stopping.signal));
  assert.equal(listeners(), 1);
  gate.resolve("done");
  assert.deepEqual(new Set(await Promise.all(done)), new Set(["done"]));
  assert.equal(listeners(), 0);
  const left = [1, 2].map(() => orAborted(new Promise(() => undefined), stopping.signal));
  stopping.abort(new Error("stopped"));
  for (const one of left) await assert.rejects(one, /stopped/);
  assert.equal(listeners(), 0);
});
