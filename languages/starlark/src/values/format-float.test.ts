import assert from "node:assert/strict";
import { test } from "node:test";
import { formatFloat } from "./format-float.ts";

test("a float between two texts is rounded to the even digit, as Go does", () => {
  assert.equal(formatFloat(0.0078125, "f"), "0.007812");
  assert.equal(formatFloat(0.0234375, "f"), "0.023438");
  assert.equal(formatFloat(1000000.5, "E"), "1.000000E+06");
});

test("what is no number, and what has no fraction", () => {
  const texts = [Number.NaN, Infinity, -Infinity, -0, 3, 1e6, 1e21].map((one) => formatFloat(one, "g"));
  assert.deepEqual(texts, ["nan", "+inf", "-inf", "-0.0", "3.0", "1e+06", "1e+21"]);
  assert.equal(formatFloat(1e21, "f"), "1000000000000000000000.000000");
});
