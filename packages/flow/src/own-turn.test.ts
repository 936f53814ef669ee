import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as afterTimers, setImmediate as nextTurn } from "node:timers/promises";
import { createTurns, ownTurn } from "./own-turn.ts";

test("of long work that comes at once, each piece has a turn of its own", async () => {
  const order: string[] = [];
  const long = (name: string) => ownTurn().then(() => void order.push(name));
  const short = async () => {
    while (!order.includes("third")) {
      await nextTurn();
      order.push("short");
    }
  };
  await Promise.all([long("first"), long("second"), long("third"), short()]);
  const [first, second, third] = ["first", "second", "third"].map((name) => order.indexOf(name));
  assert.ok(order.slice(first, second).includes("short"), order.join());
  assert.ok(order.slice(second, third).includes("short"), order.join());
});

test("who has gone away by his turn is told", async () => {
  const stop = new AbortController();
  const turn = ownTurn(stop.signal);
  stop.abort(new Error("gone"));
  await assert.rejects(turn, /gone/);
  await ownTurn();
});

test("others have as long as a piece took before the next one begins, within a limit", async () => {
  let nowMs = 0;
  const slept: number[] = [];
  const turns = createTurns({
    now: () => nowMs,
    sleep: async (ms) => {
      if (ms > 0) slept.push(ms);
      nowMs += ms;
      await afterTimers(0);
    },
  });
  const piece = async (tookMs: number) => {
    await turns();
    nowMs += tookMs;
  };
  await Promise.all([piece(10), piece(0), piece(1_000), piece(0)]);
  assert.deepEqual(slept, [10, 25]);
});
