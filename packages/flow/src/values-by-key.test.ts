import assert from "node:assert/strict";
import { test } from "node:test";
import { ValuesByKey } from "./values-by-key.ts";

test("a key has what was added and not removed, each once, in the order in which it came", () => {
  const values = new ValuesByKey<string>();
  assert.deepEqual([...values.of("a")], []);
  values.add("a", "one");
  values.add("a", "one");
  values.add("b", "other");
  assert.deepEqual([...values.of("a")], ["one"]);
  assert.deepEqual([values.has("a"), values.has("c")], [true, false]);
  values.add("a", "two");
  values.add("a", "two");
  assert.deepEqual([[...values.of("a")], values.countOf("a"), values.countOf("b")], [["one", "two"], 2, 1]);
  values.remove("a", "none");
  values.remove("c", "one");
  values.remove("a", "one");
  assert.deepEqual([[...values.of("a")], values.countOf("a"), values.size], [["two"], 1, 2]);
  values.remove("a", "two");
  values.remove("b", "another");
  assert.deepEqual([[...values.of("a")], values.countOf("a"), values.size], [[], 0, 1]);
  values.remove("b", "other");
  assert.deepEqual([values.size, values.has("b")], [0, false]);
});

test("what one of several is removed from while it is gone through is not given any more", () => {
  const values = new ValuesByKey<object>();
  const all = [{}, {}, {}];
  for (const value of all) values.add("a", value);
  const seen: object[] = [];
  for (const value of values.of("a")) {
    seen.push(value);
    for (const other of all) values.remove("a", other);
  }
  assert.deepEqual([seen.length, values.size], [1, 0]);
});
