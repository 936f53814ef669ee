import assert from "node:assert/strict";
import { test } from "node:test";
import { readProjection } from "./project-fields.ts";

const list = {
  metadata: { resourceVersion: "1" },
  items: [{ metadata: { name: "a", labels: { x: "y" } }, status: { a: 1, b: 2 } }],
};

test("only what is named is kept, also in lists", () => {
  const cut = readProjection("items.metadata.name,items.status.a")?.whole(list);
  assert.deepEqual(cut, { items: [{ metadata: { name: "a" }, status: { a: 1 } }] });
});

test("with a minus in front what is named is left out", () => {
  const cut = readProjection("-items.metadata.labels,items.status")?.whole(list);
  assert.deepEqual(cut, { metadata: { resourceVersion: "1" }, items: [{ metadata: { name: "a" } }] });
});

test("a whole object beside one of its fields is the whole object", () => {
  const cut = readProjection("items.status,items.status.a")?.whole(list);
  assert.deepEqual(cut, { items: [{ status: { a: 1, b: 2 } }] });
});

test("what is no field of the answer's own is not there", () => {
  const cut = readProjection("items.__proto__,items.constructor.name,items.toString,__proto__")?.whole(list);
  assert.deepEqual(cut, { items: [{}] });
  assert.equal(Object.getPrototypeOf(cut), Object.prototype);
});

test("thousands of paths, or of names in one, are refused", () => {
  for (const fields of ["a,".repeat(5000), "a.".repeat(5000)])
    assert.throws(() => readProjection(fields), { code: "INVALID_ARGUMENT" });
});

test("an entry of a list is cut as it is in the list", () => {
  const [item] = list.items;
  assert.deepEqual(readProjection("items.metadata.name")?.item?.(item), { metadata: { name: "a" } });
  assert.deepEqual(readProjection("-items.metadata")?.item?.(item), { status: { a: 1, b: 2 } });
  assert.deepEqual(readProjection("-metadata")?.item?.(item), item);
  assert.equal(readProjection("metadata.resourceVersion")?.item, undefined);
  assert.equal(readProjection("-items")?.item, undefined);
  assert.equal(readProjection(""), undefined);
});
