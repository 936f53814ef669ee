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

test("selectors are read in linear time, and only up to a length and a number", () => {
  const commas = `a in (${",".repeat(8000)})`;
  assert.equal(parseLabelSelector(commas)({ a: "" }), true);
  for (const text of ["a,".repeat(200), "x".repeat(10_000)])
    assert.throws(() => parseLabelSelector(text), { code: "INVALID_ARGUMENT" });
  assert.throws(() => parseLabelSelector(`!${" ".repeat(8000)}!`), /is not a label requirement/);
});
