import assert from "node:assert/strict";
import { test } from "node:test";
import { hasGlob, matchesFiles } from "./doublestar.ts";
import { compileZglob } from "./zglob.ts";

/** What doublestar 4.10 says. */
const facts: readonly (readonly [pattern: string, path: string, matches: boolean])[] = [
  ["*.yaml", "b.yaml", true],
  ["*.yaml", "a/b.yaml", false],
  ["**", "a/b", true],
  ["**/*.yaml", "b.yaml", true],
  ["**/*.yaml", "a/x/b.yaml", true],
  ["envs/**/values.yaml", "envs/values.yaml", true],
  ["envs/**/values.yaml", "envs/a/b/values.yaml", true],
  ["envs/**/values.yaml", "envs/a/xvalues.yaml", false],
  ["envs/**", "envs/a/b", true],
  ["envs/**", "envs", true],
  ["envs/**/", "envs", true],
  ["a**", "ab", true],
  ["a**", "a/b", false],
  ["a**/b", "ax/b", true],
  ["a**/b", "a/x/b", false],
  ["**b", "ab", true],
  ["**b", "a/b", false],
  ["a/*/c", "a/b/c", true],
  ["a/*/c", "a/b/b/c", false],
  ["a?c", "a/c", false],
  ["v{1,2}/x", "v2/x", true],
  ["{a,b/**}/c", "b/x/y/c", true],
  ["{a,{b,c}d}e", "cde", true],
  ["{,x}a", "a", true],
  ["{[,}],b}x", "}x", true],
  ["[!a]", "b", true],
  ["[^a]", "a", false],
  ["[a-cx]", "x", true],
  ["[-a]", "-", true],
  ["[a-]", "-", true],
  ["\\*", "*", true],
  ["\\*", "a", false],
  ["{a", "{a", false],
  ["[z-a]", "[z-a]", false],
  ["[", "[", false],
  ["a\\", "a", false],
];

for (const [pattern, path, expected] of facts)
  test(`${pattern} ${expected ? "matches" : "does not match"} ${path}`, () =>
    assert.equal(matchesFiles(pattern, path), expected));

test("globs of applications take time in proportion to the name, whatever they are", () => {
  const name = "a".repeat(4_000);
  for (const pattern of [
    `${"*a".repeat(200)}x`,
    `${"{a,aa}".repeat(40)}*x`,
    "[!b]*[!c]*[!d]*[!e]*x",
    `${"**/".repeat(100)}x`,
  ]) {
    assert.equal(matchesFiles(pattern, name), false, pattern);
    assert.equal(matchesFiles(pattern, "a/".repeat(2_000)), false, pattern);
    if (!pattern.startsWith("{")) assert.equal(compileZglob(pattern)(name), false, pattern);
  }
});

test("a glob is told by its signs", () => {
  assert.deepEqual(["a*", "a?", "[a]", "{a}", "a/b.yaml", "a}"].map(hasGlob), [
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
});

test("zglob: a question mark is itself, two stars count before a slash, braces hold words", () => {
  const wanted: readonly (readonly [string, string, boolean])[] = [
    ["a?", "a?", true],
    ["a?", "ab", false],
    ["**/Chart.yaml", "a/b/Chart.yaml", true],
    ["**/Chart.yaml", "Chart.yaml", true],
    ["a**", "a/b", false],
    ["{a.b,c}", "axb", false],
    ["{a.b,c}", "a.b", true],
    ["[a-c]x", "bx", true],
    ["x.y", "xzy", false],
  ];
  for (const [pattern, path, expected] of wanted)
    assert.equal(compileZglob(pattern)(path), expected, pattern);
  assert.throws(() => compileZglob("[z-a]"), /error parsing regexp/);
});
