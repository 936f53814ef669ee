import assert from "node:assert/strict";
import { test } from "node:test";
import { baseEnvironment } from "./base.ts";
import { BudgetExceeded, withinRequest } from "./budget.ts";
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

test("what an expression goes over counts, however few its steps are", () => {
  const environment = baseEnvironment().clone().registerVariable("text", "string");
  environment.registerVariable("names", "list<string>");
  const variables = {
    text: "a".repeat(100_000),
    names: Array.from({ length: 5_000 }, (_, index) => `${index}`),
  };
  for (const expression of [
    "names.all(x, !text.contains('b'))",
    "names.all(x, x in names)",
    "names.all(x, names == names)",
    "names.all(x, names.join(',') != x)",
    "names.all(x, !text.matches('b'))",
  ]) {
    const compiled = compile(environment, expression);
    assert.ok("evaluate" in compiled, expression);
    assert.throws(() => compiled.evaluate(variables), BudgetExceeded, expression);
  }
  const cheap = compile(environment, "text.size() > 3 && text.startsWith('a') && names.exists(x, x == '7')");
  assert.equal("evaluate" in cheap && cheap.evaluate(variables), true);
});

test("all evaluations of one request have one budget together", () => {
  const environment = baseEnvironment().clone().registerVariable("names", "list<string>");
  const compiled = compile(environment, "names.all(x, names.exists(y, y == x))");
  const names = Array.from({ length: 100 }, (_, index) => `${index}`);
  assert.ok("evaluate" in compiled);
  assert.equal(compiled.evaluate({ names }), true);
  assert.throws(
    () =>
      withinRequest(() => {
        for (let times = 0; times < 10_000; times += 1) compiled.evaluate({ names });
      }),
    BudgetExceeded,
  );
  assert.equal(compiled.evaluate({ names }), true);
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
