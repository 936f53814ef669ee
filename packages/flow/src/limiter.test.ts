import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { Limiter } from "./limiter.ts";

const signal = new AbortController().signal;

test("whatever comes, leaves or fails: never more at once, first come first served, and all places are free in the end", async () => {
  const comer = fc.record({ ends: fc.constantFrom("works", "fails", "leaves"), turns: fc.nat(4) });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.array(comer, { maxLength: 20 }),
      async (atOnce, comers) => {
        let running = 0;
        const began: number[] = [];
        const limiter = new Limiter({ atOnce });
        const all = comers.map(async ({ ends, turns }, index) => {
          const left = new AbortController();
          const done = limiter.run(async () => {
            began.push(index);
            running += 1;
            assert.ok(running <= atOnce);
            for (let turn = 0; turn < turns; turn += 1) await nextTurn();
            running -= 1;
            if (ends === "fails") throw new Error("failed");
          }, left.signal);
          const settled = done.catch(() => undefined);
          if (ends !== "leaves") return settled;
          await nextTurn();
          left.abort(new Error("gone"));
          return settled;
        });
        await Promise.all(all);
        assert.deepEqual(
          began,
          [...began].sort((one, other) => one - other),
        );
        assert.ok(limiter.isIdle);
      },
    ),
  );
});

test("who comes when as many wait as may is told so; more places let more in", async () => {
  const limiter = new Limiter({ atOnce: 1, maxWaiting: 1, full: () => new Error("full") });
  const hold = Promise.withResolvers<void>();
  const first = limiter.run(() => hold.promise, signal);
  const second = limiter.run(async () => "second", signal);
  await assert.rejects(
    limiter.run(async () => "third", signal),
    /full/,
  );
  limiter.atOnce = 2;
  assert.equal(await limiter.run(async () => "fourth", signal), "fourth");
  hold.resolve();
  await first;
  assert.equal(await second, "second");
});
