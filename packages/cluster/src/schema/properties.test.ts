import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { applyMergePatch } from "@capstan/formats";
import fc from "fast-check";
import { builtinKinds } from "../kinds/builtin-kinds.ts";
import { Registry } from "../registry/registry.ts";
import type { KubeObject } from "../types.ts";
import { serverSideApply, settleTimes, trackUpdate } from "./apply.ts";
import { loadBuiltins } from "./catalog.ts";
import { withDefaults } from "./defaults.ts";
import {
  decodeAnyFields,
  decodeFields,
  differenceOf,
  encodeFields,
  FieldSet,
  intersectionOf,
  isWithin,
  knownOr,
  outsideOf,
  unionOf,
} from "./merge/field-set.ts";
import { jsonPatch, strategicMergePatch } from "./patch.ts";

const gvk = { group: "apps", version: "v1", kind: "Deployment" };
const schema = loadBuiltins().schemaFor(gvk) ?? assert.fail();
const { defaults } = new Registry(builtinKinds, []).find("apps", "v1", "deployments") ?? assert.fail();

const word = fc.stringMatching(/^[a-z]{1,3}$/);
const container = fc.record(
  {
    name: fc.constantFrom("a", "b", "c", "d"),
    image: word,
    args: fc.array(word, { maxLength: 2 }),
    env: fc.uniqueArray(fc.record({ name: fc.constantFrom("X", "Y", "Z"), value: word }), {
      selector: ({ name }) => name,
      maxLength: 3,
    }),
  },
  { requiredKeys: ["name"] },
);
const containers = fc.uniqueArray(container, { selector: ({ name }) => name, maxLength: 4 });
const labels = fc.dictionary(fc.constantFrom("k", "l", "m"), word);
const deployment = fc
  .record(
    {
      labels,
      replicas: fc.nat(5),
      containers,
      finalizers: fc.uniqueArray(fc.constantFrom("x/a", "x/b", "x/c")),
    },
    { requiredKeys: [] },
  )
  .map(({ labels, replicas, containers, finalizers }): KubeObject => {
    const metadata = { name: "d", ...(labels && { labels }), ...(finalizers && { finalizers }) };
    const spec = {
      ...(replicas !== undefined && { replicas }),
      ...(containers && { template: { spec: { containers } } }),
    };
    return { apiVersion: "apps/v1", kind: "Deployment", metadata, spec };
  });

function apply(live: KubeObject | undefined, applied: KubeObject, manager: string): KubeObject {
  const merged = serverSideApply({
    schema,
    live,
    applied,
    manager,
    force: true,
    time: "2026-01-01T00:00:00Z",
  });
  return settleTimes(live, withDefaults(schema, defaults, merged));
}

function plain({ metadata: { managedFields: _owners, ...metadata }, ...object }: KubeObject): unknown {
  return { ...object, metadata };
}

describe("server-side apply", () => {
  it("changes nothing when repeated", () => {
    fc.assert(
      fc.property(deployment, deployment, (first, second) => {
        const live = apply(apply(undefined, first, "one"), second, "two");
        assert.equal(apply(live, second, "two"), live);
      }),
    );
  });

  it("takes away what a manager applied and no longer does, and nothing else", () => {
    fc.assert(
      fc.property(deployment, deployment, (base, extra) => {
        const nothing: KubeObject = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "d" } };
        const live = apply(undefined, base, "one");
        const after = apply(apply(apply(live, extra, "two"), base, "one"), nothing, "two");
        assert.deepEqual(withoutEmpty(plain(after)), withoutEmpty(plain(live)));
      }),
    );
  });

  it("gives every applied field to the one who applied it", () => {
    fc.assert(
      fc.property(deployment, deployment, (first, second) => {
        const live = apply(apply(undefined, first, "one"), second, "two");
        const owner = live.metadata.managedFields?.find(({ manager }) => manager === "two");
        const alone = apply(undefined, second, "two").metadata.managedFields?.[0];
        assert.deepEqual(owner?.fieldsV1, alone?.fieldsV1);
      }),
    );
  });
});

/** Defaults that an owner's presence caused stay behind; so do lists and maps left empty. */
function withoutEmpty(value: unknown): unknown {
  const spec = JSON.parse(JSON.stringify(value), (_key, item: unknown) => {
    if (item === null || (Array.isArray(item) && item.length === 0)) return undefined;
    if (typeof item === "object" && item !== null && Object.keys(item).length === 0) return undefined;
    return item;
  });
  return spec;
}

describe("trackUpdate", () => {
  it("gives a field to the last who changed it, and to nobody twice", () => {
    fc.assert(
      fc.property(deployment, deployment, (first, second) => {
        const before = trackUpdate({
          schema,
          before: undefined,
          after: withDefaults(schema, defaults, first),
          manager: "one",
          time: "t",
        });
        const { metadata, ...rest } = withDefaults(schema, defaults, second);
        const after = { ...rest, metadata: { ...metadata, uid: "u" } };
        const tracked = trackUpdate({ schema, before, after, manager: "two", time: "t" });
        const [a, b] = (tracked.metadata.managedFields ?? []).map(({ fieldsV1 }) => decodeFields(fieldsV1));
        if (a && b) assert.ok(intersectionOf(a, b).isEmpty);
      }),
    );
  });
});

const path = fc.array(fc.constantFrom("f:a", "f:b", 'k:{"name":"x"}', 'v:"y"'), {
  minLength: 1,
  maxLength: 3,
});
const fieldSet = fc.array(path).map((paths) => {
  const set = new FieldSet();
  for (const one of paths) set.insert(one);
  return set;
});

describe("field sets", () => {
  it("survive FieldsV1", () => {
    fc.assert(
      fc.property(fieldSet, (set) => {
        const pathsOf = (one: FieldSet): string[] => [...one.paths()].map(String);
        assert.deepEqual(pathsOf(decodeFields(encodeFields(set))), pathsOf(set));
        assert.deepEqual(pathsOf(decodeAnyFields(encodeFields(set))), pathsOf(set));
        assert.equal(decodeFields(encodeFields(set)).isEmpty, set.isEmpty);
      }),
    );
  });

  it("are written alike, whether they were read from FieldsV1 or made", () => {
    const read = (set: FieldSet): FieldSet => decodeFields(encodeFields(set));
    fc.assert(
      fc.property(fieldSet, fieldSet, (a, b) => {
        for (const combine of [unionOf, differenceOf, intersectionOf, outsideOf]) {
          const made = JSON.stringify(encodeFields(combine(a, b)));
          assert.equal(JSON.stringify(encodeFields(combine(read(a), read(b)))), made);
          assert.equal(JSON.stringify(encodeFields(decodeAnyFields(JSON.parse(made)))), made);
        }
        assert.equal(isWithin(read(a), read(b)), differenceOf(a, b).isEmpty);
        assert.equal(knownOr(read(a), b) === b, isWithin(a, b) && isWithin(b, a));
      }),
    );
  });

  it("of any order are written in theirs", () => {
    const sent = { "f:b": { "f:y": {}, ".": {}, "f:x": { ".": {} } }, "f:a": {} };
    const written = { "f:a": {}, "f:b": { ".": {}, "f:x": {}, "f:y": {} } };
    assert.equal(JSON.stringify(encodeFields(decodeAnyFields(sent))), JSON.stringify(written));
  });

  it("stay as they are where others are made of them", () => {
    fc.assert(
      fc.property(fieldSet, fieldSet, (a, b) => {
        const before = [a, b].map((set) => JSON.stringify(encodeFields(set)));
        const made = unionOf(differenceOf(a, b), intersectionOf(a, b), b);
        made.copy().put("f:z", new FieldSet());
        assert.deepEqual(
          [a, b].map((set) => JSON.stringify(encodeFields(set))),
          before,
        );
      }),
    );
  });

  it("obey set algebra", () => {
    fc.assert(
      fc.property(fieldSet, fieldSet, (a, b) => {
        const parts = unionOf(differenceOf(a, b), intersectionOf(a, b));
        assert.deepEqual(new Set([...parts.paths()].map(String)), new Set([...a.paths()].map(String)));
        assert.ok(intersectionOf(differenceOf(a, b), b).isEmpty);
      }),
    );
  });
});

describe("patches", () => {
  it("never change the document they are given", () => {
    fc.assert(
      fc.property(deployment, deployment, (document, patch) => {
        const before = JSON.stringify(document);
        applyMergePatch(document, patch);
        strategicMergePatch(schema, document, patch);
        jsonPatch(document, [{ op: "add", path: "/metadata/labels", value: {} }]);
        assert.equal(JSON.stringify(document), before);
      }),
    );
  });

  it("leave an object that has what they say as it is", () => {
    fc.assert(
      fc.property(deployment, deployment, (document, patch) => {
        const once = strategicMergePatch(schema, document, patch);
        assert.deepEqual(strategicMergePatch(schema, once, patch), once);
      }),
    );
  });
});
