import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePolicy } from "./parse-policy.ts";

const lines: readonly [string, boolean][] = [
  ["p, eve, applications, delete, */*, Deny", true],
  ["p, eve, applications, delete, */*, dney", true],
  ["p, eve, applications, delete, deny", true],
  ['p, "eve, applications, delete, */*, deny', true],
  ["P, eve, applications, delete, */*, deny", true],
  ["p eve applications delete */* deny", true],
  ["p, role:dev, applications, get", false],
  ["p, role:dev, applications, get, */*, Allow", false],
  ["p, role:dev, applications, get, */*, alow", false],
  ["g, eve", false],
];

for (const [line, mayDeny] of lines)
  test(`${line} ${mayDeny ? "may have denied something" : "gave rights at most"}`, () => {
    const { problems, rules } = parsePolicy(line);
    assert.deepEqual(
      problems.map((problem) => problem.mayDeny),
      [mayDeny],
    );
    assert.deepEqual(rules, []);
  });

test("a membership that cannot be read may be one of a role to which something is denied", () => {
  const { problems } = parsePolicy("p, role:few, applications, delete, */*, deny\ng, eve, role:few, more");
  assert.deepEqual(
    problems.map(({ mayDeny }) => mayDeny),
    [true],
  );
});
