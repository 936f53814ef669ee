import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isValidGlob, matchesGlob } from "./gobwas.ts";

const facts: [pattern: string, text: string, separators: string, matches: boolean][] = [
  ["*", "", "", true],
  ["*", "a/b", "", true],
  ["*", "a/b", "/", false],
  ["**", "a/b", "/", true],
  ["a*c", "abbbc", "", true],
  ["a*c", "abbbd", "", false],
  ["https://x/*", "https://x/a", "/", true],
  ["https://x/*", "https://x/a/b", "/", false],
  ["https://x/**", "https://x/a/b", "/", true],
  ["**/b/*", "a/a/b/c", "/", true],
  ["*/b", "a/b/b", "/", false],
  ["a?c", "abc", "", true],
  ["a?c", "a/c", "/", false],
  ["[abc]", "b", "", true],
  ["[!abc]", "b", "", false],
  ["[a-c]x", "bx", "", true],
  ["[!a-c]x", "bx", "", false],
  ["{a,b*}c", "bbbc", "", true],
  ["{a,{b,c}}d", "cd", "", true],
  ["{a,b}c", "cc", "", false],
  ["{,x}a", "a", "", true],
  ["\\*", "*", "", true],
  ["\\*", "a", "", false],
  ["a,b", "a,b", "", true],
  ["", "", "", true],
  ["", "a", "", false],
  ["ä?", "äö", "", true],
  ["{*.yml,*.yaml}", "x.yml", "", true],
  ["{config.yaml,env-use2/*}", "env-use2/a/b.json", "", true],
  ["a.b", "axb", "", false],
  ["{a", "a", "", true],
  ["{a{b", "ab", "", true],
  ["a\\", "a", "", true],
  ["[^a]", "^", "", true],
  ["[^a]", "b", "", false],
  ["[ab-c]", "-", "", true],
  ["[!-a]", "-", "", false],
  ["[\\]a]", "]", "", true],
  ["[/]", "/", "/", true],
  ["team/*/web", "team/web", "", true],
  ["team/*/web", "team/web", "/", false],
  ["team/**/web", "team/web", "", true],
  ["a*a", "a", "", true],
  ["ab*ba", "aba", "", true],
  ["ab*ba", "ab", "", false],
  ["?", "", "", true],
  ["?", "", "/", true],
  ["[!a]", "", "", true],
  ["[!a-c]", "", "", true],
  ["[a]", "", "", false],
  ["??", "", "", false],
  ["?a", "a", "", false],
];
for (const [pattern, text, separators, matches] of facts) {
  test(`${pattern} ${matches ? "matches" : "does not match"} ${text || "nothing"}${separators && " by parts"}`, () =>
    assert.equal(matchesGlob(pattern, text, separators), matches));
}

for (const pattern of ["[", "[]", "[!]", "[c-a]", "[a-cx]", "[a-", "[]a]"]) {
  test(`${pattern} is no pattern and matches nothing`, () => {
    assert.ok(!isValidGlob(pattern));
    assert.ok(!matchesGlob(pattern, pattern));
  });
}

test("a pattern that would take a backtracking matcher forever ends", () => {
  const pattern = `${"*a".repeat(200)}b`;
  assert.ok(!matchesGlob(pattern, "a".repeat(2000)));
});

test("every kind of star with every other ends", () => {
  const text = `${"a".repeat(20_000)}/`.repeat(5);
  assert.equal(matchesGlob("**a*a*a**a*a*a**/*a*a*a**b", text, "/"), false);
  assert.equal(matchesGlob("**a*a*a**a*a*a**/*a*a*a**", text, "/"), true);
});

test("braces that multiply are refused", () => {
  assert.ok(!isValidGlob("{a,b}".repeat(20)));
  assert.ok(!isValidGlob(`${"{a,b}".repeat(9)}${"c".repeat(3_000)}`));
  assert.ok(!isValidGlob(`{${"a,".repeat(2_000)}b}`.repeat(2)));
});

test("a glob answers as the regular expression of the same meaning", () => {
  const part = fc.constantFrom("*", "**", "?", "a", "b", "/");
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), fc.stringMatching(/^[ab/]{0,10}$/), (parts, text) => {
      const pattern = parts.join("");
      const source = pattern.replaceAll(/\*{2,}|\*|\?/g, (found) =>
        found.length > 1 ? ".*" : found === "*" ? "[^/]*" : "[^/]",
      );
      assert.equal(
        matchesGlob(pattern, text, "/"),
        new RegExp(`^${source}$`).test(text) || (pattern === "?" && text === ""),
        `${pattern} ${text}`,
      );
    }),
    { numRuns: 2000 },
  );
});
