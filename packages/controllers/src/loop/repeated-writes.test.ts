import assert from "node:assert/strict";
import { test } from "node:test";
import { stoppedClock, turn } from "@capstan/testkit";
import { RepeatedWrites } from "./repeated-writes.ts";

function opened() {
  const clock = stoppedClock();
  const stop = new AbortController();
  const said: string[] = [];
  const log = { warn: (_: object, text: string) => void said.push(text) };
  const writes = new RepeatedWrites({ clock, log, signal: stop.signal, failed: "it failed" });
  return { clock, stop, said, writes };
}

test("a write that fails is tried again until it succeeds, and said once", async () => {
  const { clock, said, writes } = opened();
  let tries = 0;
  writes.ask("a", async () => {
    tries += 1;
    if (tries < 4) throw new Error("the cluster is away");
  });
  await turn();
  assert.equal(tries, 1);
  await clock.advance(600_000);
  assert.equal(tries, 4);
  assert.deepEqual(said, ["it failed"]);
});

test("what is asked for while it is written is written again, and nothing more", async () => {
  const { writes } = opened();
  const first = Promise.withResolvers<void>();
  let tries = 0;
  const write = async () => {
    tries += 1;
    await first.promise;
  };
  writes.ask("a", write);
  await turn();
  for (let asked = 0; asked < 3; asked += 1) writes.ask("a", write);
  assert.equal(tries, 1);
  first.resolve();
  await turn();
  assert.equal(tries, 2);
});

test("at the end nothing is tried again", async () => {
  const { clock, stop, writes } = opened();
  let tries = 0;
  writes.ask("a", async () => {
    tries += 1;
    throw new Error("the cluster is away");
  });
  await turn();
  stop.abort();
  await clock.advance(600_000);
  assert.equal(tries, 1);
});
