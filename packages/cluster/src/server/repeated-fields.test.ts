import assert from "node:assert/strict";
import { test } from "node:test";
import { repeatedFields, repeatedKeys } from "./repeated-fields.ts";

test("a field that an object has twice is told with its path and line", () => {
  const text = '{"spec":{"a":1,\n"a":2,"list":[{"x":"}"},{"x\\"":0,"x\\"":[],"y":{}}]},"a":{"spec":{}}}';
  assert.deepEqual(repeatedFields(text), [
    { path: "spec.a", key: "a", line: 2 },
    { path: 'spec.list[1].x"', key: 'x"', line: 2 },
  ]);
});

test("values that look like keys are none", () => {
  assert.deepEqual(repeatedFields('{"a":"a","b":["a","a",{"a":"b"}]}'), []);
});

test("YAML is told in Go's words", () => {
  assert.equal(
    repeatedKeys("\nspec:\n  foo: 1\n  bar: 2\n  foo: 3\n"),
    'yaml: unmarshal errors:\n  line 5: key "foo" already set in map',
  );
  assert.equal(repeatedKeys("spec: {foo: 1}\n"), undefined);
});
