import assert from "node:assert/strict";
import { test } from "node:test";
import { matchesPath } from "./path-match.ts";

/** What Go's path.Match says. */
const facts: readonly (readonly [pattern: string, text: string, matches: boolean])[] = [
  ["abc", "abc", true],
  ["*", "abc", true],
  ["*", "a/b", false],
  ["a*", "a*", true],
  ["**", "a/b", false],
  ["a*/b", "a/c/b", false],
  ["a*b*c*d*e*/f", "axbxcxdxe/f", true],
  ["a*b?c*x", "abxbbxdbxebxczzx", true],
  ["ab[^c]", "abc", false],
  ["ab[^e-g]", "abc", true],
  ["a[!a]b", "a!b", true],
  ["[a-cx-z]", "y", true],
  ["[\\]a]", "]", true],
  ["[\\-x]", "-", true],
  ["a[^a]b", "a/b", true],
  ["a?b", "a/b", false],
  ["a\\*b", "a*b", true],
  ["{a,b}", "a", false],
  ["{a,b}", "{a,b}", true],
  ["[😀]?", "😀ö", true],
  ["[]a]", "]", false],
  ["[-]", "-", false],
  ["[x-]", "x", false],
  ["[-x]", "x", false],
  ["[a-b-c]", "a", false],
  ["[", "[", false],
  ["a[", "a", false],
  ["a\\", "a", false],
];

for (const [pattern, text, expected] of facts)
  test(`${pattern} ${expected ? "matches" : "does not match"} ${text}`, () =>
    assert.equal(matchesPath(pattern, text), expected));

test("a pattern that would take a backtracking matcher for ever ends", () => {
  assert.equal(matchesPath(`${"*a".repeat(200)}b`, "a".repeat(4_000)), false);
});
