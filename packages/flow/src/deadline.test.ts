import assert from "node:assert/strict";
import { test } from "node:test";
import { deadline } from "./deadline.ts";

/** One sleep, ended by hand; what became of it. */
function oneSleep() {
  const wake = Promise.withResolvers<void>();
  const state = { asked: 0, isOver: false };
  const sleep = (ms: number, signal: AbortSignal): Promise<void> => {
    state.asked = ms;
    signal.addEventListener("abort", () => {
      state.isOver = true;
      wake.reject(signal.reason);
    });
    return wake.promise;
  };
  return { clock: { sleep }, wake: wake.resolve, state };
}
const late = () => new Error("too late");

test("the time ends it, with the reason given", async () => {
  const { clock, wake, state } = oneSleep();
  using limited = deadline({ clock, signal: new AbortController().signal, ms: 500, late });
  assert.equal(state.asked, 500);
  assert.equal(limited.signal.aborted, false);
  wake();
  await Promise.resolve();
  assert.throws(() => limited.signal.throwIfAborted(), /too late/);
});

test("the caller ends it, with his own reason; work that is over leaves no wait behind", () => {
  const caller = new AbortController();
  const first = oneSleep();
  using limited = deadline({ clock: first.clock, signal: caller.signal, ms: 500, late });
  caller.abort(new Error("gone"));
  assert.throws(() => limited.signal.throwIfAborted(), /gone/);
  assert.ok(first.state.isOver);
  const second = oneSleep();
  deadline({ clock: second.clock, signal: new AbortController().signal, ms: 500, late })[Symbol.dispose]();
  assert.ok(second.state.isOver);
});
