import assert from "node:assert/strict";
import { test } from "node:test";
import { untilAborted } from "./until-aborted.ts";

test("who waits for the end of what has ended does not wait for ever", async () => {
  let isOver = false;
  void untilAborted(AbortSignal.abort()).then(() => {
    isOver = true;
  });
  await new Promise(setImmediate);
  assert.equal(isOver, true);
});

test("who waits for an end is told of it", async () => {
  const ending = new AbortController();
  const waits = untilAborted(ending.signal);
  ending.abort();
  await waits;
});
