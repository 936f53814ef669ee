import assert from "node:assert/strict";
import { test } from "node:test";
import { compileGlob } from "./glob.ts";

const cases: [style: "flat" | "path", pattern: string, text: string, matches: boolean][] = [
  ["flat", "*.yaml", "a/b.yaml", true],
  ["flat", "{*.yml,*.yaml}", "x.yml", true],
  ["flat", "{config.yaml,env-use2/*}", "env-use2/a/b.json", true],
  ["flat", "config.yaml", "env/config.yaml", false],
  ["flat", "a?c", "abc", true],
  ["flat", "[!a]b", "ab", false],
  ["flat", "[a-c]b", "bb", true],
  ["flat", "a.b", "axb", false],
  ["flat", "a{b", "a{b", true],
  ["flat", "\\*", "*", true],
  ["path", "*.yaml", "a/b.yaml", false],
  ["path", "**/*.yaml", "b.yaml", true],
  ["path", "**/*.yaml", "a/x/b.yaml", true],
  ["path", "envs/**/values.yaml", "envs/values.yaml", true],
  ["path", "envs/**", "envs/a/b", true],
  ["path", "a/*/c", "a/b/c", true],
  ["path", "a/*/c", "a/b/b/c", false],
  ["path", "v{1,2}/x", "v2/x", true],
];

for (const [style, pattern, text, matches] of cases)
  test(`${style} glob ${pattern} ${matches ? "matches" : "does not match"} ${text}`, () =>
    assert.equal(compileGlob(pattern, style)(text), matches));

test("globs of applications take time in proportion to the name, whatever they are", () => {
  const name = "a".repeat(4_000);
  for (const style of ["flat", "path"] as const)
    for (const pattern of [
      "*a*a*a*a*a*a*x",
      `${"{a,aa}".repeat(40)}*x`,
      "[!b]*[!c]*[!d]*[!e]*x",
      `${"**/".repeat(30)}x`,
    ])
      assert.equal(compileGlob(pattern, style)(name), false, pattern);
  assert.equal(compileGlob("[z-a]", "flat")("[z-a]"), true);
});
