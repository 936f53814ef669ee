import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalJson } from "@capstan/formats";
import type { ManagedFieldsEntry, Manifest } from "@capstan/model";
import fc from "fast-check";
import { defaultDiffRules } from "./diff-rules.ts";
import { withOwnChanges } from "./own-changes.ts";

type Fields = { readonly [field: string]: unknown };

/** An object that says who owns what of it: git's are the fields of the first, somebody's those of the second. */
const object = (fields: Fields, ours: Fields | undefined, theirs: Fields = {}): Manifest => {
  const entry = (manager: string, fieldsV1: Fields): ManagedFieldsEntry => ({
    manager,
    operation: "Apply",
    fieldsType: "FieldsV1",
    fieldsV1,
  });
  const managedFields = ours && [entry("argocd-controller", ours), entry("somebody", theirs)];
  return {
    apiVersion: "v1",
    kind: "Thing",
    metadata: { name: "a", ...(managedFields && { managedFields }) },
    ...fields,
  };
};

interface Fact {
  name: string;
  live: Manifest;
  predicted: Manifest;
  merged: Fields;
}

const data = (fields: Fields) => ({
  "f:data": Object.fromEntries(Object.keys(fields).map((key) => [`f:${key}`, {}])),
});
const keyed = (items: Fields) => ({ "f:spec": { "f:parts": items } });
const part = (name: string, fields: Fields = {}) => ({
  [`k:{"name":"${name}"}`]: { ".": {}, "f:name": {}, ...fields },
});

const facts: Fact[] = [
  {
    name: "a value of ours counts, as what admission made of it",
    live: object({ data: { key: "old" } }, data({ key: 1 })),
    predicted: object({ data: { key: "by a policy" } }, data({ key: 1 })),
    merged: { data: { key: "by a policy" } },
  },
  {
    name: "what admission adds does not count",
    live: object({ data: { key: "1" } }, data({ key: 1 })),
    predicted: object({ data: { key: "1", added: "x" }, more: { deep: 1 }, list: [1] }, data({ key: 1 })),
    merged: { data: { key: "1" } },
  },
  {
    name: "nor does what it changes of others",
    live: object({ data: { key: "1", theirs: "1" } }, data({ key: 1 }), data({ theirs: 1 })),
    predicted: object({ data: { key: "1", theirs: "2" } }, data({ key: 1 }), data({ theirs: 1 })),
    merged: { data: { key: "1", theirs: "1" } },
  },
  {
    name: "what git says no more is gone",
    live: object({ data: { key: "1", more: "1" } }, data({ key: 1, more: 1 })),
    predicted: object({ data: { key: "1" } }, data({ key: 1 })),
    merged: { data: { key: "1" } },
  },
  {
    name: "a default in place of what git says no more is a change of ours",
    live: object({ spec: { type: "NodePort" } }, { "f:spec": { "f:type": {} } }),
    predicted: object({ spec: { type: "ClusterIP" } }, {}),
    merged: { spec: { type: "ClusterIP" } },
  },
  {
    name: "of a new field what git says of it",
    live: object({}, data({})),
    predicted: object({ spec: { ours: 1, byDefault: 2 } }, { "f:spec": { "f:ours": {} } }),
    merged: { spec: { ours: 1 } },
  },
  {
    name: "items of a list by their keys: ours count, those that admission adds do not",
    live: object({ spec: { parts: [{ name: "a", size: 1 }] } }, keyed(part("a", { "f:size": {} }))),
    predicted: object(
      {
        spec: {
          parts: [
            { name: "a", size: 2, policy: "Always" },
            { name: "side" },
            { name: "b", policy: "Always" },
          ],
        },
      },
      keyed({ ...part("a", { "f:size": {} }), ...part("b") }),
    ),
    merged: { spec: { parts: [{ name: "a", size: 2 }, { name: "b" }] } },
  },
  {
    name: "an item that git says no more is gone, one of somebody else stays",
    live: object({ spec: { parts: [{ name: "a" }, { name: "b" }] } }, keyed(part("a")), keyed(part("b"))),
    predicted: object({ spec: { parts: [{ name: "b" }] } }, {}, keyed(part("b"))),
    merged: { spec: { parts: [{ name: "b" }] } },
  },
  {
    name: "members of a set: ours and those that were there",
    live: object({ set: ["theirs"] }, {}, { "f:set": { 'v:"theirs"': {} } }),
    predicted: object(
      { set: ["ours", "theirs", "added"] },
      { "f:set": { 'v:"ours"': {} } },
      { "f:set": { 'v:"theirs"': {} } },
    ),
    merged: { set: ["ours", "theirs"] },
  },
  {
    name: "a list that is replaced as a whole is whose it is",
    live: object({ ours: [1], theirs: [1] }, { "f:ours": {} }, { "f:theirs": {} }),
    predicted: object({ ours: [2, 3], theirs: [2, 3] }, { "f:ours": {} }, { "f:theirs": {} }),
    merged: { ours: [2, 3], theirs: [1] },
  },
  {
    name: "where nobody says who owns what, all counts",
    live: object({ data: { key: "1" } }, undefined),
    predicted: object({ data: { key: "2", added: "x" } }, undefined),
    merged: { data: { key: "2", added: "x" } },
  },
];

for (const { name, live, predicted, merged } of facts)
  test(name, () => {
    const { apiVersion, kind, metadata, ...found } = withOwnChanges(live, predicted, defaultDiffRules);
    assert.deepEqual(found, merged);
    assert.deepEqual([apiVersion, kind, metadata.name], ["v1", "Thing", "a"]);
  });

test("an object that nothing would change is the same, and one that is all ours as it is predicted", () => {
  const names = fc.constantFrom("a", "b", "c", "__proto__");
  const values = fc.dictionary(names, fc.oneof(fc.integer(), fc.array(fc.integer())));
  const merged = (live: Manifest, predicted: Manifest): string =>
    canonicalJson(withOwnChanges(live, predicted, defaultDiffRules).data);
  fc.assert(
    fc.property(values, values, (before, after) => {
      const live = object({ data: before }, data(before));
      assert.equal(merged(live, live), canonicalJson(before));
      assert.equal(merged(live, object({ data: after }, data(after))), canonicalJson(after));
    }),
  );
});
