import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDuration, parseNanoseconds } from "./duration.ts";

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

test("days count where they are asked for", () => {
  assert.equal(parseDuration("1d12h", { days: true }), 129_600_000);
});

/** What Go's time.ParseDuration says. */
const exact: Readonly<Record<string, bigint | undefined>> = {
  "-1.5h": -5_400_000_000_000n,
  "+5us": 5_000n,
  "1µs1ns": 1_001n,
  "0": 0n,
  "-0": 0n,
  "1.s": 1_000_000_000n,
  ".s": undefined,
  "1": undefined,
  "": undefined,
  "-": undefined,
  "3000000h": undefined,
};

test("durations are exact to the nanosecond", () => {
  for (const [text, expected] of Object.entries(exact)) assert.equal(parseNanoseconds(text), expected, text);
});
