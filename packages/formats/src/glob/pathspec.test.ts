import assert from "node:assert/strict";
import { test } from "node:test";
import { matchesPathspec } from "./pathspec.ts";

// As `git ls-files -- <pattern>` of git 2.43 lists them.
const cases: readonly (readonly [string, string, boolean])[] = [
  ["apps/*/config.yaml", "apps/one/config.yaml", true],
  ["apps/*/config.yaml", "apps/one/two/config.yaml", true],
  ["**/config.yaml", "apps/config.yaml", true],
  ["**/config.yaml", "config.yaml", false],
  ["*.yaml", "apps/one/config.yaml", true],
  ["apps", "apps/one/config.yaml", true],
  ["apps/", "apps/one/config.yaml", true],
  ["app", "apps/one/config.yaml", false],
  ["apps/[ab]?/c", "apps/a1/c", true],
  ["apps/[!ab]?/c", "apps/a1/c", false],
  ["a\\*", "a*", true],
  ["a\\*", "ab", false],
  [".", "any", true],
];

test("pathspecs match what git lists for them", () => {
  for (const [pattern, path, is] of cases)
    assert.equal(matchesPathspec(pattern, path), is, `${pattern} ${path}`);
});

test("a pattern that tries many ways takes little time", () => {
  assert.equal(matchesPathspec(`${"*a".repeat(60)}b`, "a".repeat(4_000)), false);
});
