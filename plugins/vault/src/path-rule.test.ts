import assert from "node:assert/strict";
import { test } from "node:test";
import { readPathRule } from "./path-rule.ts";

test("an expression has Go's syntax and is looked for anywhere in the path", () => {
  const expressions = [
    "^secret/data/",
    "(?i)^SECRET/",
    "(?P<mount>secret)",
    "\\Asecret/.*web\\z",
    "/[[:alpha:]]+$",
  ];
  for (const expression of expressions) {
    assert.equal(readPathRule(expression).test("secret/data/web"), true, expression);
    assert.equal(readPathRule(expression).test("kv/1"), false, expression);
  }
  assert.throws(() => readPathRule("["), /AVP_PATH_VALIDATION is no regular expression/);
});

test("an expression that would not end in JavaScript ends", () => {
  assert.equal(readPathRule("^(a+)+$").test(`${"a".repeat(6_000)}!`), false);
});
