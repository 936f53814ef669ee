import assert from "node:assert/strict";
import { test } from "node:test";
import { baseEnvironment } from "./base.ts";
import { compile } from "./expression.ts";
import { describeFailure } from "./problem.ts";

function outcome(expression: string): unknown {
  const compiled = compile(baseEnvironment().clone().registerVariable("text", "string"), expression);
  if ("problem" in compiled) return compiled.problem;
  try {
    return compiled.evaluate({ text: "abc" });
  } catch (error) {
    return describeFailure(error);
  }
}

const tooMuch = "operation cancelled: actual cost limit exceeded";

test("an expression that nests loops ends with a failure", () => {
  const ten = "[1,2,3,4,5,6,7,8,9,10]";
  const nested = ["a", "b", "c", "d", "e", "f", "g"].reduceRight(
    (inner, name) => `${ten}.map(${name}, ${inner})`,
    "1",
  );
  assert.equal(outcome(nested), tooMuch);
});

test("an expression that doubles lists ends with a failure", () => {
  let doubled = "[text]";
  for (let times = 0; times < 8; times += 1) doubled = `(${doubled} + ${doubled})`;
  const wide = `${doubled}.map(a, ${doubled}.map(b, ${doubled}))`;
  assert.equal(outcome(wide), tooMuch);
});

test("a pattern that would backtrack for ever ends with a failure", () => {
  assert.equal(outcome(`'${"a".repeat(4000)}b'.matches('^(a+)+$')`), false);
});

test("Go's flags of a pattern are known, and texts are left alone", () => {
  assert.equal(outcome("text.matches('(?i)B')"), true);
  assert.equal(outcome("'.matches(' == \".matches(\""), true);
});

test("a fault is told with its place", () => {
  assert.equal(
    outcome("text ==\n  1"),
    "ERROR: <input>:1:6: found no matching overload for '_==_' applied to '(string, int)'\n | text ==\n | .....^",
  );
});
