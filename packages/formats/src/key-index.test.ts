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

test("fields may be left out of a key in so many ways: each more costs a walk through all items, and finds nothing", () => {
  const names = Array.from({ length: 12 }, (_, at) => `f${at}`);
  const whole = Object.fromEntries(names.map((name) => [name, "x"]));
  let walked = 0;
  const index = new KeyIndex(
    Array.from({ length: 10 }, () => whole),
    (item) => {
      walked += 1;
      return item;
    },
  );
  assert.equal(index.matching(names, whole).length, 10);
  for (let ways = 0; ways < 2 ** names.length; ways += 1)
    index.matching(
      names,
      Object.fromEntries(names.filter((_, at) => ways & (1 << at)).map((name) => [name, "x"])),
    );
  assert.equal(walked, 320);
  assert.equal(index.matching(names, whole).length, 10);
});
