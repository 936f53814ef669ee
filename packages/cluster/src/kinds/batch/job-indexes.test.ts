import assert from "node:assert/strict";
import { test } from "node:test";
import { countIndexes, indexProblem } from "./job-indexes.ts";

test("indexes and ranges of them are counted", () => {
  assert.equal(indexProblem("0,2-4", 5), undefined);
  assert.equal(countIndexes("0,2-4"), 4);
  assert.equal(indexProblem("", 0), undefined);
});

test("what is no index, too large or out of order is told", () => {
  assert.equal(indexProblem("b", 3), 'cannot convert string to integer for index: "b"');
  assert.equal(indexProblem("3", 3), 'too large index: "3"');
  assert.equal(indexProblem("2,1", 3), "non-increasing order, previous: 2, current: 1");
  assert.equal(indexProblem("2-1", 3), "non-increasing order, previous: 2, current: 1");
});
