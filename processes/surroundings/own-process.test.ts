import assert from "node:assert/strict";
import { test } from "node:test";
import { giveBackWhenQuiet } from "./own-process.ts";

test("memory is given back when it has grown and it is quiet, not in the middle of work nor again and again", async () => {
  const stop = new AbortController();
  const looks = [
    { taken: 100, busy: 0, gives: false },
    { taken: 150, busy: 0.5, gives: false },
    { taken: 150, busy: 0.01, gives: true },
    { taken: 105, busy: 0, gives: false },
    { taken: 120, busy: 0, gives: true },
  ];
  let [at, given] = [-1, 0];
  const seen: boolean[] = [];
  await giveBackWhenQuiet({
    signal: stop.signal,
    clock: {
      async sleep() {
        if (at >= 0) seen.push(given > 0);
        given = 0;
        at += 1;
        if (at === looks.length) stop.abort();
      },
    },
    taken: () => (given > 0 ? 100 : (looks[at]?.taken ?? 100)),
    busy: () => looks[at]?.busy ?? 0,
    giveBack: () => {
      given += 1;
    },
  });
  assert.deepEqual(
    seen,
    looks.map(({ gives }) => gives),
  );
});
