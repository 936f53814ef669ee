import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { Lanes } from "./lanes.ts";

const signal = new AbortController().signal;
const most = { a: 1, b: 2, c: 3 } as const;
const lanesOf = (names: readonly (keyof typeof most)[]) =>
  [...new Set(names)].map((name) => ({ name, atOnce: most[name] }));

test("whatever comes, leaves or fails: no lane has more than it may, and all places are free in the end", async () => {
  const comer = fc.record({
    names: fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 3 }),
    ends: fc.constantFrom("works", "fails", "leaves"),
    turns: fc.nat(4),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(comer, { maxLength: 20 }), async (comers) => {
      const running = { a: 0, b: 0, c: 0 };
      const lanes = new Lanes();
      const all = comers.map(async ({ names, ends, turns }) => {
        const own = new Set(names);
        const left = new AbortController();
        const done = lanes.run(
          lanesOf(names),
          async () => {
            for (const name of own) running[name] += 1;
            for (const name of own) assert.ok(running[name] <= most[name]);
            for (let turn = 0; turn < turns; turn += 1) await nextTurn();
            for (const name of own) running[name] -= 1;
            if (ends === "fails") throw new Error("failed");
          },
          left.signal,
        );
        const settled = done.catch((error: unknown) => assert.match(String(error), /failed|gone/));
        if (ends !== "leaves") return settled;
        await nextTurn();
        left.abort(new Error("gone"));
        return settled;
      });
      await Promise.all(all);
      assert.ok(lanes.isIdle);
    }),
  );
});

test("who waits for a lane that is stuck holds no place of another, and each lane keeps its order", async () => {
  const lanes = new Lanes();
  const hold = Promise.withResolvers<void>();
  const began: string[] = [];
  const run = (name: string, names: readonly (keyof typeof most)[], until = Promise.resolve()) =>
    lanes.run(
      lanesOf(names),
      async () => {
        began.push(name);
        await until;
      },
      signal,
    );
  const stuck = run("stuck", ["a", "b"], hold.promise);
  const waiting = ["one", "two", "three"].map((name) => run(name, ["a", "b"]));
  await run("free", ["b"]);
  assert.deepEqual(began, ["stuck", "free"]);
  hold.resolve();
  await Promise.all([stuck, ...waiting]);
  assert.deepEqual(began, ["stuck", "free", "one", "two", "three"]);
});
