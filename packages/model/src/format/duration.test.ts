import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDuration } from "./duration.ts";

const durations: [string, number | undefined][] = [
  ["1h30m", 5_400_000],
  ["500ms", 500],
  ["1.5s", 1500],
  [".5m", 30_000],
  ["90", 90_000],
  ["1d", undefined],
  ["", undefined],
  ["-1s", undefined],
  ["s", undefined],
  ["1h x", undefined],
];
for (const [text, expected] of durations) {
  test(`"${text}" is ${expected ?? "no duration"}`, () => assert.equal(parseDuration(text), expected));
}
