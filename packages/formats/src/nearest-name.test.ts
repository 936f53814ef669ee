import assert from "node:assert/strict";
import { test } from "node:test";
import { nearestName } from "./nearest-name.ts";

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
