import assert from "node:assert/strict";
import { test } from "node:test";
import { movedClock } from "./moved-clock.ts";

const hour = 3_600_000;

test("time that is moved forward wakes who slept until then, and nobody else", async () => {
  const start = Date.UTC(2027, 2, 10);
  const clock = movedClock(start);
  const ended: string[] = [];
  const stop = new AbortController();
  const sleep = (name: string, ms: number) =>
    clock.sleep(ms, stop.signal).then(
      () => ended.push(name),
      () => ended.push(`${name} was ended`),
    );
  const [hourly, daily] = [sleep("an hour", hour), sleep("a day", 24 * hour)];
  clock.advance(2 * hour);
  await hourly;
  assert.deepEqual(ended, ["an hour"]);
  assert.ok(clock.now() >= start + 2 * hour && clock.now() < start + 3 * hour);
  stop.abort();
  await daily;
  assert.deepEqual(ended, ["an hour", "a day was ended"]);
});
