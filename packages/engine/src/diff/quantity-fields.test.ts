import assert from "node:assert/strict";
import { test } from "node:test";
import { equalQuantities, isQuantityField } from "./quantity-fields.ts";

const equal: [unknown, unknown][] = [
  ["1", 1],
  ["1000m", "1"],
  ["0.5", "500m"],
  [".5", "0.50"],
  ["1Gi", "1024Mi"],
  ["1k", "1000"],
  ["1e3", "1k"],
  ["1E3", "1000"],
  ["1E", "1000000000000000000"],
  ["1500Mi", "1.46484375Gi"],
  ["-1", "-1000m"],
  ["0", "0Gi"],
];
for (const [left, right] of equal) {
  test(`${String(left)} is ${String(right)}`, () => assert.ok(equalQuantities(left, right)));
}

test("what is no quantity is equal to none", () => {
  for (const text of ["abc", "1e400", undefined, null, {}]) assert.ok(!equalQuantities(text, text));
});

test("1 is not 1Mi", () => assert.ok(!equalQuantities("1", "1Mi")));

test("fields are told by the names on their path", () => {
  assert.ok(isQuantityField(["spec", "containers", "[name=a]", "resources", "limits", "cpu"]));
  assert.ok(isQuantityField(["spec", "resources", "requests", "storage"]));
  assert.ok(!isQuantityField(["spec", "env", "[name=a]", "value"]));
  assert.ok(isQuantityField(["spec", "metrics", "[0]", "resource", "target", "averageValue"]));
});
