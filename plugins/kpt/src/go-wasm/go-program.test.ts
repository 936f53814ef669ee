import assert from "node:assert/strict";
import { test } from "node:test";
import { goWorld } from "./go-world.ts";
import { GoMemory } from "./memory.ts";

const world = {};
const memoryWith = () =>
  new GoMemory(new WebAssembly.Memory({ initial: 1 }), [Number.NaN, 0, null, true, false, world]);

test("every value that JavaScript has comes back as it was given", () => {
  const memory = memoryWith();
  const shared = { a: 1 };
  const values = [
    0,
    -0,
    1.5,
    Number.NaN,
    undefined,
    null,
    true,
    false,
    "text",
    shared,
    () => 1,
    world,
    shared,
  ];
  for (const [index, value] of values.entries()) memory.setValue(64 + index * 8, value);
  for (const [index, value] of values.entries()) {
    const found = memory.value(64 + index * 8);
    assert.ok(value === 0 ? found === 0 : Object.is(found, value), `value ${index}`);
  }
});

test("a value that Go has released gives its number to another", () => {
  const memory = memoryWith();
  const idAt = (value: unknown) => {
    memory.setValue(64, value);
    return memory.view.getUint32(64, true);
  };
  const [first, kept] = [{}, {}];
  const ids = [idAt(first), idAt(first), idAt(kept)];
  assert.equal(ids[0], ids[1]);
  memory.release(ids[0] ?? 0);
  assert.equal(memory.value(64), kept);
  assert.equal(idAt(first), ids[0], "it is held once more");
  for (const _ of [1, 2]) memory.release(ids[0] ?? 0);
  const fresh = {};
  assert.equal(idAt(fresh), ids[0]);
  assert.notEqual(idAt({}), ids[2]);
});

test("a program finds no means to load or make code, and no files", () => {
  const given = goWorld(() => undefined);
  assert.deepEqual(Object.keys(given).sort(), [
    "Array",
    "Date",
    "Object",
    "Uint8Array",
    "fs",
    "path",
    "process",
  ]);
  const fs = given.fs;
  assert.ok(typeof fs === "object" && fs !== null && "open" in fs && typeof fs.open === "function");
  const answers: unknown[] = [];
  fs.open("/etc/passwd", 0, 0, (error: unknown) => answers.push(error));
  assert.match(String(answers[0]), /not implemented/);
});
