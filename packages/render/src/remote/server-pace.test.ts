import assert from "node:assert/strict";
import { test } from "node:test";
import { CapstanError } from "@capstan/model";
import { noSignal, StandingClock } from "@capstan/testkit/render-world";
import { ServerPace } from "./server-pace.ts";

const timeoutMs = 8_000;

function openPace() {
  const clock = new StandingClock();
  const pace = new ServerPace({ clock, timeoutMs, most: 8 });
  /** Calls that end, or fail, when they are told to. */
  const start = () => {
    const gate = Promise.withResolvers<void>();
    let waitedMs: number | undefined;
    const done = pace.run(async (waited) => {
      waitedMs = waited;
      await gate.promise;
    }, noSignal);
    done.catch(() => undefined);
    return { end: gate.resolve, fail: gate.reject, done, waited: () => waitedMs };
  };
  const turns = async () => {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  };
  /** How many of many calls would run at once. */
  const atOnce = async () => {
    const calls = Array.from({ length: 12 }, start);
    await turns();
    const { running } = pace.state;
    const slow = new CapstanError({ code: "INTERNAL", problem: "over" });
    for (const call of calls) call.fail(slow);
    await Promise.allSettled(calls.map(({ done }) => done));
    return running;
  };
  return { clock, pace, start, turns, atOnce };
}

test("an unknown server gets two calls at once, and one more with each that went well, up to eight", async () => {
  const { start, atOnce } = openPace();
  assert.equal(await atOnce(), 2);
  for (let call = 0; call < 20; call += 1) {
    const one = start();
    one.end();
    await one.done;
  }
  assert.equal(await atOnce(), 8);
});

test("calls that take more than a quarter of their time halve the number, once for all that ran together", async () => {
  const { clock, start, turns, atOnce } = openPace();
  for (let call = 0; call < 20; call += 1) {
    const one = start();
    one.end();
    await one.done;
  }
  const together = Array.from({ length: 8 }, start);
  await turns();
  clock.pass(timeoutMs / 4 + 1);
  for (const one of together) one.end();
  await Promise.all(together.map(({ done }) => done));
  assert.equal(await atOnce(), 4);
  const late = start();
  await turns();
  clock.pass(timeoutMs);
  late.fail(new CapstanError({ code: "TIMED_OUT", what: "plugin x", afterMs: timeoutMs }));
  await assert.rejects(late.done);
  assert.equal(await atOnce(), 2);
});

test("a call that runs out of its time alone is to blame itself: the others get their turns", async () => {
  const { clock, start, turns, atOnce } = openPace();
  for (const wanted of [1, 8]) {
    const late = start();
    await turns();
    clock.pass(timeoutMs);
    late.fail(new CapstanError({ code: "TIMED_OUT", what: "plugin x", afterMs: timeoutMs }));
    await assert.rejects(late.done);
    assert.equal(await atOnce(), wanted);
  }
});

test("a call knows how long it has waited; a call that was given up waits no more", async () => {
  const { clock, pace, start, turns } = openPace();
  const [first, second, third] = [start(), start(), start()];
  const leaving = new AbortController();
  const left = pace.run(async () => undefined, leaving.signal);
  left.catch(() => undefined);
  await turns();
  const { since } = pace.state;
  assert.deepEqual(pace.state, { running: 2, waiting: 2, since });
  leaving.abort(new Error("gone"));
  await assert.rejects(left, /gone/);
  assert.deepEqual(pace.state, { running: 2, waiting: 1, since });
  clock.pass(1_500);
  first.end();
  await first.done;
  await turns();
  assert.deepEqual([first.waited(), third.waited()], [0, 1_500]);
  second.end();
  third.end();
  await Promise.all([second.done, third.done]);
  assert.deepEqual(pace.state, { running: 0, waiting: 0 });
});
