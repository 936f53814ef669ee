import assert from "node:assert/strict";
import { test } from "node:test";
import { GoRegexpError, goRegexp, quoteRegexp } from "./regexp.ts";

const matches: readonly (readonly [expression: string, text: string, matches: boolean])[] = [
  ["^(?i)(abort|warn)?$", "WARN", true],
  ["^(?i)(abort|warn)?$", "warning", false],
  ["a.c", "a\nc", false],
  ["(?s)a.c", "a\nc", true],
  ["^b$", "a\nb\nc", false],
  ["(?m)^b$", "a\nb\nc", true],
  ["^a$", "a\n", false],
  ["\\Aa\\z", "a", true],
  ["^.$", "😀", true],
  ["^\\pL+$", "éß", true],
  ["\\d", "٣", false],
  ["[[:alpha:]]+[[:^digit:]]", "ab", true],
  ["(?P<name>a)(?<other>b)", "ab", true],
  ["\\Qa.b\\E", "a.b", true],
  ["x*", "", true],
  ["(?-i:a)b(?U)c+", "abcc", true],
];

test("expressions mean what they mean in Go", () => {
  for (const [expression, text, expected] of matches)
    assert.equal(goRegexp(expression).test(text), expected, `${expression} on ${JSON.stringify(text)}`);
});

test("what Go does not know is refused in its words", () => {
  for (const expression of [
    "(?=a)",
    "(?<!a)b",
    "(a)\\1",
    "(a",
    "a**",
    "\\z{2}[",
    "a{1001}",
    "(".repeat(2_000),
  ])
    assert.throws(
      () => goRegexp(expression),
      (error) => error instanceof GoRegexpError && /^error parsing regexp: /.test(error.message),
    );
  assert.throws(() => goRegexp("a".repeat(10_001)), /more than 10000 characters/);
});

test("groups by number and name, and all matches", () => {
  const expression = goRegexp("(?P<key>\\w+)=(\\w+)?");
  const found = expression.find("… a=b c=");
  assert.deepEqual([found?.index, found?.parts, found?.names.key], [2, ["a=b", "a", "b"], "a"]);
  assert.deepEqual(
    [...expression.findAll("a=b c=")].map(({ parts }) => parts),
    [
      ["a=b", "a", "b"],
      ["c=", "c", undefined],
    ],
  );
  assert.equal(goRegexp(`^${quoteRegexp("a.b*[c]\\{d}$")}$`).test("a.b*[c]\\{d}$"), true);
});

test("expressions that take JavaScript for ever end", () => {
  const text = "a".repeat(20_000);
  for (const expression of [
    "^(a+)+$",
    "(a*)*b",
    "(?:a|aa)+b",
    ".*.*.*.*=.*x",
    "(a?){900}a{900}b",
    "^(?:[a-z]+)*\\d$",
  ])
    assert.equal(goRegexp(expression).test(`${text}!`), false, expression);
});
