import assert from "node:assert/strict";
import { test } from "node:test";
import { parseLabelSelector } from "./label-selector.ts";

const labels = { team: "web", "example.com/tier": "front" };

const cases: [string, boolean][] = [
  ["team=web", true],
  ["team==web", true],
  ["team!=web", false],
  ["absent!=web", true],
  ["team in (web, api)", true],
  ["team notin (web,api)", false],
  ["absent notin (web)", true],
  ["team", true],
  ["!team", false],
  ["!absent", true],
  ["team=web,example.com/tier=front", true],
  ["team in (web,api),example.com/tier=back", false],
  ["", true],
];

for (const [selector, expected] of cases) {
  test(`"${selector}" ${expected ? "matches" : "does not match"}`, () => {
    assert.equal(parseLabelSelector(selector)(labels), expected);
  });
}

test("what cannot be read is named", () => {
  assert.throws(() => parseLabelSelector("team is web"), /selector: "team is web" in "team is web" is not/);
});
