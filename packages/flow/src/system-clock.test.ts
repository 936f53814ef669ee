import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "./system-clock.ts";

test("a sleep that is aborted rejects with the signal's reason", async () => {
  const reason = new Error("enough");
  await assert.rejects(systemClock.sleep(60_000, AbortSignal.abort(reason)), reason);
  const ending = new AbortController();
  const asleep = systemClock.sleep(60_000, ending.signal);
  ending.abort(reason);
  await assert.rejects(asleep, reason);
});

test("a sleep that is longer than a timer can be does not end at once", async () => {
  const ending = new AbortController();
  const asleep = systemClock.sleep(2 ** 40, ending.signal);
  // What ended at once would end before a sleep that began after it.
  await Promise.race([asleep.then(() => assert.fail("it ended")), systemClock.sleep(20, ending.signal)]);
  ending.abort(new Error("enough"));
  await assert.rejects(asleep, /enough/);
});

test("a sleep until what is over ends at once, and Node has nothing to warn of", async (t) => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on("warning", note);
  t.after(() => process.off("warning", note));
  await systemClock.sleep(-0.5, new AbortController().signal);
  await systemClock.sleep(1, new AbortController().signal);
  assert.deepEqual(warnings, []);
});
