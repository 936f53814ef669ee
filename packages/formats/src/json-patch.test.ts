import assert from "node:assert/strict";
import { test } from "node:test";
import { applyJsonPatch, JsonPatchError } from "./json-patch.ts";
import { applyMergePatch } from "./merge-patch.ts";

const document = { a: 1, b: { c: [1, 2] }, "x/y": 1, n: null };

/** What evanphx/json-patch v4.13 makes of the document; nothing where it refuses. */
const cases: readonly (readonly [operation: Record<string, unknown>, changed: object | undefined])[] = [
  [{ op: "add", path: "/b/c/-", value: 3 }, { b: { c: [1, 2, 3] } }],
  [{ op: "add", path: "/b/c/1", value: 3 }, { b: { c: [1, 3, 2] } }],
  [{ op: "add", path: "/b/c/-1", value: 3 }, { b: { c: [1, 2, 3] } }],
  [{ op: "add", path: "/b/c/-2", value: 3 }, { b: { c: [1, 3, 2] } }],
  [{ op: "add", path: "/b/c/3", value: 3 }, undefined],
  [{ op: "add", path: "/z/y", value: 3 }, undefined],
  [{ op: "add", path: "/a" }, { a: null }],
  [{ op: "remove", path: "/b/c/-1" }, { b: { c: [1] } }],
  [{ op: "remove", path: "/zz" }, undefined],
  [{ op: "remove", path: "" }, undefined],
  [{ op: "replace", path: "/zz", value: 2 }, { zz: 2 }],
  [{ op: "replace", path: "/b/c/2", value: 2 }, undefined],
  [{ op: "replace", path: "/x~1y", value: 2 }, { "x/y": 2 }],
  [
    { op: "move", from: "/b", path: "/a" },
    { a: { c: [1, 2] }, b: undefined },
  ],
  [{ op: "copy", from: "/zz", path: "/a" }, { a: null }],
  [{ op: "copy", from: "/b/c/0", path: "/b/c/-" }, { b: { c: [1, 2, 1] } }],
  [{ op: "test", path: "/zz", value: null }, {}],
  [{ op: "test", path: "/n" }, {}],
  [{ op: "test", path: "/a", value: 2 }, undefined],
  [{ op: "add", path: "a", value: 2 }, undefined],
  [{ op: "add", path: "/b/c/x", value: 2 }, undefined],
  [{ op: "add", path: "/__proto__", value: 2 }, undefined],
  [{ op: "append", path: "/a", value: 2 }, undefined],
];

for (const [operation, changed] of cases)
  test(JSON.stringify(operation), () => {
    const apply = () => applyJsonPatch(document, [operation]);
    if (changed === undefined) assert.throws(apply, JsonPatchError);
    else
      assert.deepEqual(
        JSON.parse(JSON.stringify(apply())),
        JSON.parse(JSON.stringify({ ...document, ...changed })),
      );
  });

test("what fails is named, and a failed test told from the rest", () => {
  const reasonOf = (operations: readonly unknown[]) => {
    try {
      applyJsonPatch(document, operations);
    } catch (error) {
      if (error instanceof JsonPatchError) return [error.reason, error.message];
    }
    return undefined;
  };
  assert.deepEqual(reasonOf([{ op: "test", path: "/a", value: 2 }]), [
    "test",
    "operation 1: /a has another value than the tested one",
  ]);
  assert.deepEqual(
    reasonOf([
      { op: "remove", path: "/a" },
      { op: "remove", path: "/a" },
    ]),
    ["misfit", "operation 2: /a does not exist"],
  );
  const doubling = Array.from({ length: 30 }, () => ({ op: "copy", from: "/b/c", path: "/b/c/-" }));
  assert.equal(reasonOf(doubling)?.[0], "size");
});

test("the document is not changed, and neither is a patch's prototype", () => {
  const before = structuredClone(document);
  applyJsonPatch(document, [{ op: "remove", path: "/b/c/0" }]);
  applyMergePatch(document, { b: { c: null } });
  assert.deepEqual(document, before);
  assert.deepEqual(applyMergePatch({}, JSON.parse('{"__proto__": {"a": 1}}')), {});
});

test("merge patches take away by null (RFC 7386, appendix A)", () => {
  assert.deepEqual(applyMergePatch({ a: "b", c: { d: 1 } }, { a: null, c: { e: 2 } }), { c: { d: 1, e: 2 } });
  assert.deepEqual(applyMergePatch(["a"], { a: 1 }), { a: 1 });
  assert.deepEqual(applyMergePatch({ a: 1 }, ["b"]), ["b"]);
});
