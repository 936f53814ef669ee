import assert from "node:assert/strict";
import { test } from "node:test";
import { BoundedMap } from "./bounded-map.ts";

test("what was used longest ago goes once the weights exceed the limit; what alone exceeds it is not kept", () => {
  const map = new BoundedMap<string>(4);
  for (const key of ["a", "b", "c", "d"]) map.set(key, key);
  assert.equal(map.get("a"), "a");
  map.set("e", "e");
  assert.deepEqual([map.has("a"), map.has("b")], [true, false]);
  map.set("huge", "huge", 5);
  assert.equal(map.has("huge"), false);
  map.set("two", "two", 2);
  assert.deepEqual(
    map.entries().map(([key]) => key),
    ["a", "e", "two"],
  );
  assert.equal(map.weight, 4);
});

test("what is used again and again stays while a thousand others come and go", () => {
  const map = new BoundedMap<number>(10);
  map.set("often", 0);
  for (let at = 0; at < 1_000; at += 1) {
    assert.equal(map.get("often"), 0, `after ${at}`);
    map.set(`once ${at}`, at);
  }
  assert.equal(map.size, 10);
});
