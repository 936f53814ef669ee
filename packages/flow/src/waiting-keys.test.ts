import assert from "node:assert/strict";
import { test } from "node:test";
import { WaitingKeys } from "./waiting-keys.ts";

const all = () => true;

test("keys are taken in their order, those that go first in turns with the others", () => {
  const waiting = new WaitingKeys();
  for (const [now, key] of ["a", "b", "c"].entries()) assert.ok(waiting.add(key, false, now));
  for (const [now, key] of ["x", "y", "z"].entries()) assert.ok(waiting.add(key, true, 10 + now));
  assert.equal(waiting.size, 6);
  const taken = Array.from({ length: 7 }, () => waiting.take(all)?.join());
  assert.deepEqual(taken, ["x,10", "a,0", "y,11", "b,1", "z,12", "c,2", undefined]);
});

test("a key that waits comes to go first with the time since when it has waited, and waits once", () => {
  const waiting = new WaitingKeys();
  waiting.add("a", false, 1);
  waiting.add("b", false, 2);
  assert.equal(waiting.has("b", false), true);
  assert.equal(waiting.has("b", true), false);
  assert.equal(waiting.add("b", true, 3), false);
  assert.equal(waiting.has("b", true), true);
  assert.equal(waiting.has("b", false), true);
  assert.deepEqual(
    [...waiting],
    [
      ["b", 2],
      ["a", 1],
    ],
  );
});

test("who may have no turn keeps its place", () => {
  const waiting = new WaitingKeys();
  for (const key of ["a", "b"]) waiting.add(key, false, 0);
  assert.deepEqual(
    waiting.take((key) => key !== "a"),
    ["b", 0],
  );
  assert.equal(
    waiting.take((key) => key !== "a"),
    undefined,
  );
  waiting.delete("a");
  assert.equal(waiting.size, 0);
});
