import assert from "node:assert/strict";
import { test } from "node:test";
import { splitList, stripQuotes, unquote } from "./split-list.ts";

test("separators in quotes do not separate, and quotes stay", () => {
  assert.deepEqual(splitList(`sed 's/a, b/c/' , "x,y",, cat`, ","), ["sed 's/a, b/c/'", '"x,y"', "cat"]);
  assert.throws(() => splitList("it's", ","), /not closed/);
});

test("quotes that enclose an argument are taken off, others are its own; helmfile's at either end", () => {
  const texts = [`"a b"`, `'c'`, `x="y z"`, `"p" q "r"`, `"`];
  assert.deepEqual(texts.map(unquote), ["a b", "c", `x="y z"`, `"p" q "r"`, `"`]);
  assert.deepEqual(texts.map(stripQuotes), ["a b", "c", `x="y z`, `p" q "r`, ""]);
});
