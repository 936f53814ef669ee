import assert from "node:assert/strict";
import { test } from "node:test";
import { growingPause } from "./growing-pause.ts";

test("a pause doubles with each failure, up to the longest, however many there were", () => {
  const pauses = { firstMs: 5, longestMs: 30 };
  assert.deepEqual(
    [0, 1, 2, 3, 4, 100, 5000].map((failures) => growingPause(failures, pauses)),
    [0, 5, 10, 20, 30, 30, 30],
  );
});
