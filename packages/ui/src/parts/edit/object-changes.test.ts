import assert from "node:assert/strict";
import { test } from "node:test";
import { changesBetween, collisions, patchOf, withChanges } from "./object-changes.ts";

const before = {
  metadata: { labels: { "a/b": "1", gone: "x" } },
  spec: { project: "default", sources: [{ path: "a" }, { path: "b" }], destination: { namespace: "web" } },
};
const after = {
  metadata: { labels: { "a/b": "2", new: "y" } },
  spec: { project: "default", sources: [{ path: "b" }], destination: { namespace: "web", name: "two" } },
};

test("only fields that are others are written, each tested for what it was, lists as a whole", () => {
  assert.deepEqual(patchOf(changesBetween(before, after)), [
    { op: "test", path: "/metadata/labels/a~1b", value: "1" },
    { op: "replace", path: "/metadata/labels/a~1b", value: "2" },
    { op: "test", path: "/metadata/labels/gone", value: "x" },
    { op: "remove", path: "/metadata/labels/gone" },
    { op: "add", path: "/metadata/labels/new", value: "y" },
    { op: "test", path: "/spec/sources", value: [{ path: "a" }, { path: "b" }] },
    { op: "replace", path: "/spec/sources", value: [{ path: "b" }] },
    { op: "add", path: "/spec/destination/name", value: "two" },
  ]);
  assert.deepEqual(changesBetween(before, structuredClone(before)), []);
});

test("changes are put on top of what somebody else has set, and what both have set is told", () => {
  const theirs = {
    ...before,
    spec: { ...before.spec, project: "team", destination: { namespace: "other" } },
  };
  const mine = changesBetween(before, after);
  assert.deepEqual(withChanges(theirs, mine), {
    metadata: after.metadata,
    spec: { project: "team", sources: [{ path: "b" }], destination: { namespace: "other", name: "two" } },
  });
  assert.deepEqual(collisions(mine, changesBetween(before, theirs)), []);
  const both = changesBetween(before, { ...before, spec: { ...before.spec, sources: [] } });
  assert.deepEqual(
    collisions(mine, both).map(({ path }) => path.join(".")),
    ["spec.sources"],
  );
});

test("a map of which people are shown a part is written name by name", () => {
  const actual = { metadata: { annotations: { hidden: "h", a: "1" } } };
  const add = changesBetween({ metadata: {} }, { metadata: { annotations: { b: "2" } } });
  assert.deepEqual(patchOf(add, actual), [{ op: "add", path: "/metadata/annotations/b", value: "2" }]);
  const remove = changesBetween({ metadata: { annotations: { a: "1" } } }, { metadata: {} });
  assert.deepEqual(patchOf(remove, actual), [
    { op: "test", path: "/metadata/annotations/a", value: "1" },
    { op: "remove", path: "/metadata/annotations/a" },
  ]);
});

test("the order in which fields are written is no change", () => {
  const [left, right] = [[{ kind: "a", name: "b" }], [{ name: "b", kind: "a" }]];
  assert.deepEqual(changesBetween({ left }, { left: right }), []);
});

test("a map that was not there is added whole, and one that is written over by a text is replaced", () => {
  const changes = changesBetween({ spec: {} }, { spec: { syncPolicy: { automated: {} } } });
  assert.deepEqual(patchOf(changes), [{ op: "add", path: "/spec/syncPolicy", value: { automated: {} } }]);
  assert.deepEqual(withChanges({}, changes), { spec: { syncPolicy: { automated: {} } } });
  assert.deepEqual(withChanges({ a: 1, b: 2 }, [{ path: ["a"], before: 1, after: undefined }]), { b: 2 });
});
