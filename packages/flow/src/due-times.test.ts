import assert from "node:assert/strict";
import { test } from "node:test";
import { DueTimes } from "./due-times.ts";

test("keys come in the order of their times, each at the time that was set last", () => {
  const times = new DueTimes();
  const expected = new Map<string, number>();
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return (seed >> 8) % below;
  };
  for (let count = 0; count < 20_000; count += 1) {
    const [key, at] = [`key-${random(300)}`, random(5_000)];
    if (random(4) === 0) {
      times.delete(key);
      expected.delete(key);
    } else {
      times.set(key, at);
      expected.set(key, at);
    }
    if (count % 500 === 499) assert.equal(times.next(), Math.min(...expected.values()));
  }
  const atOf = (key: string) => expected.get(key) ?? -1;
  const early = [...expected.keys()].filter((key) => atOf(key) <= 2_500);
  const taken = times.take(2_500);
  assert.deepEqual(new Set(taken), new Set(early));
  assert.deepEqual(
    taken.map(atOf),
    early.map(atOf).sort((one, other) => one - other),
  );
  assert.equal(times.get(taken[0] ?? ""), undefined);
  assert.equal(times.take(5_000).length, expected.size - taken.length);
  assert.deepEqual([times.next(), [...times.keys()]], [undefined, []]);
});
