import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldProjection } from "./project-fields.ts";

const list = {
  metadata: { resourceVersion: "1" },
  items: [{ metadata: { name: "a", labels: { x: "y" } }, status: { a: 1, b: 2 } }],
};

test("only what is named is kept, also in lists", () => {
  const cut = fieldProjection("items.metadata.name,items.status.a")(list);
  assert.deepEqual(cut, { items: [{ metadata: { name: "a" }, status: { a: 1 } }] });
});

test("with a minus in front what is named is left out", () => {
  const cut = fieldProjection("-items.metadata.labels,items.status")(list);
  assert.deepEqual(cut, { metadata: { resourceVersion: "1" }, items: [{ metadata: { name: "a" } }] });
});

test("a whole object beside one of its fields is the whole object", () => {
  const cut = fieldProjection("items.status,items.status.a")(list);
  assert.deepEqual(cut, { items: [{ status: { a: 1, b: 2 } }] });
});

test("thousands of paths, or of names in one, are refused", () => {
  for (const fields of ["a,".repeat(5000), "a.".repeat(5000)])
    assert.throws(() => fieldProjection(fields), { code: "INVALID_ARGUMENT" });
});
