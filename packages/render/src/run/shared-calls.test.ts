import assert from "node:assert/strict";
import { test } from "node:test";
import { SharedCalls } from "./shared-calls.ts";

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
