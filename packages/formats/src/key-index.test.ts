import assert from "node:assert/strict";
import { test } from "node:test";
import { KeyIndex } from "./key-index.ts";

test("items are found by the fields that are given, in their order, whatever else they have", () => {
  const items = [
    { port: 1, protocol: "TCP", name: "a" },
    { port: 1, protocol: "UDP" },
    "no object",
    { port: 1n, protocol: "TCP", name: "b" },
    { protocol: "TCP" },
  ];
  const index = new KeyIndex(items, (item) => item);
  const names = ["port", "protocol"];
  assert.deepEqual(index.matching(names, { port: 1, protocol: "TCP" }), [items[0], items[3]]);
  assert.deepEqual(index.matching(names, { port: 1 }), [items[0], items[1], items[3]]);
  assert.deepEqual(index.matching(names, { port: "1", protocol: "TCP" }), []);
  assert.deepEqual(index.matching(names, { port: null, protocol: "TCP" }), []);
  assert.equal(index.matching(names, {}).length, 4);
});
