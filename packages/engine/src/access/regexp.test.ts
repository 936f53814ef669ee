import assert from "node:assert/strict";
import { test } from "node:test";
import { matchesRegexp } from "./regexp.ts";

const cases: readonly (readonly [expression: string, text: string, matches: boolean])[] = [
  ["^team-.*$", "team-a", true],
  ["team", "my-team-a", true],
  ["^(?!kube-).*$", "kube-system", false],
  ["^(?!kube-).*$", "team-a", true],
  ["^(?!.*-prod$)(?=team-)[a-z-]+$", "team-dev", true],
  ["^(?!.*-prod$)(?=team-)[a-z-]+$", "team-prod", false],
  ["^(?!(?:a|b\\))$)x", "x", true],
  ["(?i)^(?!KUBE)", "kube-system", false],
  ["^(?!a)b|c", "c", false],
  ["(a", "(a", false],
  ["a(?!b)", "ac", false],
];

for (const [expression, text, expected] of cases)
  test(`/${expression}/ ${expected ? "matches" : "does not match"} ${text}`, () =>
    assert.equal(matchesRegexp(expression, text), expected));

test("an expression of a project takes no time to speak of", () => {
  assert.equal(matchesRegexp("^([a-z]+)+$", `${"a".repeat(50_000)}!`), false);
});
