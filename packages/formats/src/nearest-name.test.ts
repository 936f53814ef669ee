import assert from "node:assert/strict";
import { test } from "node:test";
import { nearestName, nearestOf } from "./nearest-name.ts";

const names = ["guestbook", "web", "api", "web-staging"];

for (const [typed, expected] of [
  ["guestbok", "guestbook"],
  ["guetsbook", "guestbook"],
  ["wbe", "web"],
  ["Web", "web"],
  ["something-else", undefined],
  ["xyz", undefined],
] as const) {
  test(`${typed} ${expected ? `is probably ${expected}` : "is near to nothing"}`, () => {
    assert.equal(nearestName(typed, names), expected);
  });
}

test("names of many thousand letters, which a program can make, are compared with nothing", () => {
  const [long, other] = ["a".repeat(100_000), "b".repeat(100_000)];
  const lookup = { fold: (name: string) => name, below: 50_000, swaps: false };
  assert.equal(nearestOf(long, names, lookup), undefined);
  assert.equal(nearestOf(long, [other], lookup), undefined);
  assert.equal(nearestOf("web", [other, "wet"], { ...lookup, below: 2 }), "wet");
});
