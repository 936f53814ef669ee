import assert from "node:assert/strict";
import { test } from "node:test";
import { applyMergePatch, equalJson, isRecord } from "@capstan/formats";
import fc from "fast-check";
import type { PatchField, PatchType } from "../client/patch-types.ts";
import { jsonMergePatch, strategicMergePatch } from "./three-way-patch.ts";

type Fields = { [name: string]: unknown };

const leaf = fc.oneof(fc.integer({ min: 0, max: 2 }), fc.constantFrom("a", "b"), fc.constant([1]));
const tree = fc.letrec<{ map: Fields; value: unknown }>((tie) => ({
  map: fc.dictionary(fc.constantFrom("a", "b", "constructor"), tie("value"), {
    maxKeys: 3,
    noNullPrototype: true,
  }),
  value: fc.oneof({ depthSize: "small" }, leaf, tie("map")),
})).map;

/** All that is wanted is there, all that was applied and is wanted no more is not, all else is as it was. */
function isThreeWay(
  now: unknown,
  { original, wanted, live }: Record<"original" | "wanted" | "live", unknown>,
): boolean {
  if (!isRecord(wanted)) return equalJson(now, wanted);
  if (!isRecord(now)) return false;
  const [before = {}, there = {}] = [original, live].map((value) => (isRecord(value) ? value : {}));
  const of = (fields: Fields, name: string) => (Object.hasOwn(fields, name) ? fields[name] : undefined);
  return [...new Set([now, wanted, there].flatMap((fields) => Object.keys(fields)))].every((name) => {
    const ways = { original: of(before, name), wanted: of(wanted, name), live: of(there, name) };
    if (Object.hasOwn(wanted, name)) return isThreeWay(of(now, name), ways);
    if (Object.hasOwn(before, name)) return !Object.hasOwn(now, name);
    return equalJson(of(now, name), ways.live);
  });
}

test("a JSON merge patch makes of any live object what three ways say, and then has nothing to do", () => {
  fc.assert(
    fc.property(tree, tree, tree, (original, wanted, live) => {
      const now = applyMergePatch(live, jsonMergePatch({ original, wanted, live }));
      assert.ok(isRecord(now));
      assert.ok(isThreeWay(now, { original, wanted, live }), JSON.stringify({ original, wanted, live, now }));
      assert.deepEqual(jsonMergePatch({ original: wanted, wanted, live: now }), {});
    }),
    { numRuns: 300 },
  );
});

const typeOf = (fields: Record<string, Partial<PatchField>>): PatchType => ({
  field: (name) => {
    const found = fields[name];
    return found && { strategies: [], mergeKey: undefined, type: undefined, ...found };
  },
});
const item = typeOf({});
const pod = typeOf({
  containers: { strategies: ["merge"], mergeKey: "name", type: item },
  volumes: { strategies: ["merge", "retainKeys"], mergeKey: "name", type: item },
  finalizers: { strategies: ["merge"] },
  whole: { strategies: ["replace"] },
  args: {},
});

interface Case {
  fact: string;
  original?: Fields;
  wanted: Fields;
  live: Fields;
  patch: Fields;
}

const cases: readonly Case[] = [
  {
    fact: "an item is changed, one added, one of ours deleted, one of others left",
    original: { containers: [{ name: "old" }, { name: "a", tty: true }] },
    wanted: { containers: [{ name: "a", image: "2" }, { name: "new" }] },
    live: { containers: [{ name: "a", image: "1", tty: true }, { name: "old" }, { name: "others" }] },
    patch: {
      containers: [{ name: "a", image: "2", tty: null }, { name: "new" }, { name: "old", $patch: "delete" }],
      "$setElementOrder/containers": [{ name: "a" }, { name: "new" }],
    },
  },
  {
    fact: "an order that git has otherwise is set, and nothing else",
    wanted: { containers: [{ name: "a" }, { name: "b" }] },
    live: { containers: [{ name: "b", image: "x" }, { name: "c" }, { name: "a" }] },
    patch: { "$setElementOrder/containers": [{ name: "a" }, { name: "b" }] },
  },
  {
    fact: "items of others between ours are no change of order",
    wanted: { containers: [{ name: "a" }, { name: "b" }] },
    live: { containers: [{ name: "a" }, { name: "c" }, { name: "b" }] },
    patch: {},
  },
  {
    fact: "a key that stands twice: the list is git's",
    wanted: { containers: [{ name: "a" }, { name: "a", tty: true }] },
    live: { containers: [{ name: "a" }] },
    patch: { containers: [{ name: "a" }, { name: "a", tty: true }, { $patch: "replace" }] },
  },
  {
    fact: "of a union what git does not name goes",
    wanted: { volumes: [{ name: "v", configMap: { name: "c" } }] },
    live: { volumes: [{ name: "v", emptyDir: {} }] },
    patch: {
      volumes: [{ name: "v", configMap: { name: "c" }, $retainKeys: ["configMap", "name"] }],
      "$setElementOrder/volumes": [{ name: "v" }],
    },
  },
  {
    fact: "a set: members are added and taken away one by one",
    original: { finalizers: ["old", "kept"] },
    wanted: { finalizers: ["kept", "new"] },
    live: { finalizers: ["old", "kept", "others"] },
    patch: {
      finalizers: ["new"],
      "$deleteFromPrimitiveList/finalizers": ["old"],
      "$setElementOrder/finalizers": ["kept", "new"],
    },
  },
  {
    fact: "what is replaced, and lists without a strategy, are git's as a whole",
    wanted: { whole: { a: 1 }, args: ["x"] },
    live: { whole: { b: 1 }, args: ["x", "y"] },
    patch: { whole: { a: 1 }, args: ["x"] },
  },
  {
    fact: "nothing is deleted that is not there, and null in git is what is not there",
    original: { gone: 1 },
    wanted: { args: null, other: null },
    live: { args: ["x"] },
    patch: { args: null },
  },
];
for (const { fact, original, wanted, live, patch } of cases) {
  test(`strategic merge patch: ${fact}`, () => {
    assert.deepEqual(strategicMergePatch(pod, { original, wanted, live }), patch);
  });
}
