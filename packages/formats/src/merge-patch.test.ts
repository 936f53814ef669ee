import assert from "node:assert/strict";
import { test } from "node:test";
import { makeMergePatch } from "./merge-patch.ts";

const cases: [
  string,
  Record<string, unknown>,
  Record<string, unknown>,
  Record<string, unknown> | undefined,
][] = [
  ["equal objects need no patch", { a: { b: [1] } }, { a: { b: [1] } }, undefined],
  ["only what changed is sent", { a: 1, b: { c: 1, d: 2 } }, { a: 1, b: { c: 1, d: 3 } }, { b: { d: 3 } }],
  ["what is gone becomes null", { a: 1, b: { c: 1 } }, { b: {} }, { a: null, b: { c: null } }],
  ["undefined is absent", { a: 1 }, { a: 1, b: undefined }, undefined],
  ["lists are replaced as a whole", { a: [1, 2] }, { a: [1] }, { a: [1] }],
  ["an object takes the place of a value", { a: 1 }, { a: { b: 1 } }, { a: { b: 1 } }],
];

for (const [name, from, to, expected] of cases) {
  test(name, () => assert.deepEqual(makeMergePatch(from, to), expected));
}
