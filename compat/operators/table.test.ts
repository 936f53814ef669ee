import assert from "node:assert/strict";
import { test } from "node:test";
import { readOperators } from "../../testenv/operators.ts";
import { operatorGaps } from "../known-gaps.ts";
import { readTable } from "./table.ts";

test("the page has a line for each chart and operator of the corpus, at its commit, and of most it says equal", async () => {
  const [operators, table] = [await readOperators(), await readTable()];
  assert.deepEqual(
    [...table.keys()],
    operators.map(({ name }) => name),
  );
  for (const { name, commit } of operators) assert.ok(table.get(name)?.includes(commit.slice(0, 10)), name);
  const equal = operators.filter(({ name }) => / \| equal\b/.test(table.get(name) ?? ""));
  assert.ok(equal.length >= operators.length * 0.9, `${equal.length} of ${operators.length}`);
  const differing = operators.filter(({ name }) => / \| DIFFERS\b/.test(table.get(name) ?? ""));
  assert.deepEqual(
    differing.map(({ name }) => name),
    Object.keys(operatorGaps),
  );
});
