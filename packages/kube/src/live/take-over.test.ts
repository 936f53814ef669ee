import assert from "node:assert/strict";
import { test } from "node:test";
import { takeOver } from "./take-over.ts";

/** As if it were parsed from the wire: nothing in it is in anything else. */
const app = (revision: string, history: readonly number[]) => ({
  metadata: { name: "web", labels: { a: "b" } },
  spec: { source: { path: "web" }, list: [[1], [2]] },
  status: {
    sync: { revision, comparedTo: { source: { path: "web" } } },
    history: history.map((id) => ({ id })),
  },
});

test("what is as before is that very part, and the object says what it said", () => {
  const [before, now] = [app("a", [1]), app("b", [1, 2])];
  assert.equal(takeOver(now, before), false);
  assert.deepEqual(now, app("b", [1, 2]));
  assert.equal(now.spec, before.spec);
  assert.equal(now.metadata, before.metadata);
  assert.equal(now.status.sync.comparedTo, before.status.sync.comparedTo);
  assert.equal(now.status.history[0], before.status.history[0]);
  assert.deepEqual(before, app("a", [1]));
  assert.equal(takeOver(app("b", [1, 2]), now), true);
});

test("what differs in value, kind, number or order stays its own", () => {
  const pairs: readonly [object, object][] = [
    [{ a: { b: 1, c: 2 } }, { a: { c: 2, b: 1 } }],
    [{ a: { b: 1 } }, { a: { b: 1, c: 2 } }],
    [{ a: { b: 1, c: 2 } }, { a: { b: 1 } }],
    [{ a: { b: undefined } }, { a: { c: undefined } }],
    [{ a: [1, 2] }, { a: [1] }],
    [{ a: [1] }, { a: { 0: 1 } }],
    [{ a: { 0: 1 } }, { a: [1] }],
    [{ a: {} }, { a: null }],
    [{ a: null }, { a: {} }],
    [{ a: {} }, { a: [] }],
    [{ a: { b: 2n ** 60n } }, { a: { b: 2n ** 60n + 1n } }],
    [{ a: { b: "1" } }, { a: { b: 1 } }],
  ];
  for (const [now, before] of pairs) {
    const [said, was] = [structuredClone(now), structuredClone(before)];
    assert.equal(takeOver(now, before), false, JSON.stringify(Object.keys(now)));
    assert.deepEqual([now, before], [said, was]);
  }
});

test("a field that is called as an object's prototype is a field as any other", () => {
  const parsed = () => JSON.parse('{"a":{"__proto__":{"b":1},"c":[]},"d":1}');
  const [before, now] = [parsed(), { ...parsed(), d: 2 }];
  assert.equal(takeOver(now, before), false);
  assert.equal(now.a, before.a);
  assert.equal(Object.getPrototypeOf(now.a), Object.prototype);
  const differs = JSON.parse('{"a":{"__proto__":{"b":2},"c":[]},"d":1}');
  takeOver(differs, before);
  assert.equal(JSON.stringify(differs), '{"a":{"__proto__":{"b":2},"c":[]},"d":1}');
  assert.equal(Object.getPrototypeOf(differs.a), Object.prototype);
});

test("of an object of very many parts those that come first are taken over, and it says what it said", () => {
  const wide = (last: string) => ({
    a: { b: 1 },
    rows: Array.from({ length: 30_000 }, (_, at) => ({ at })),
    z: { last },
  });
  const [before, now] = [wide("a"), wide("a")];
  assert.equal(takeOver(now, before), false);
  assert.deepEqual(now, wide("a"));
  assert.equal(now.a, before.a);
  assert.notEqual(now.z, before.z);
});

test("an object of any depth takes no stack", () => {
  const deep = () => JSON.parse(`${"[".repeat(5_000)}${"]".repeat(5_000)}`);
  assert.equal(takeOver(deep(), deep()), false);
});
