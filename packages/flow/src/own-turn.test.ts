import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ownTurn } from "./own-turn.ts";

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
