import assert from "node:assert/strict";
import { test } from "node:test";
import type { Manifest } from "@capstan/model";
import { needsJq, readJqPath, withoutIgnored } from "./ignored-differences.ts";

test("jq expressions that are a path name the field that jsonPointers name", () => {
  assert.deepEqual(readJqPath('.metadata.labels["a/b"]'), ["metadata", "labels", "a/b"]);
  const app = { metadata: { name: "web" }, spec: { source: { targetRevision: "v2", path: "a" } } };
  const without = { metadata: { name: "web" }, spec: { source: { path: "a" } } };
  for (const rule of [
    { jqPathExpressions: [".spec.source.targetRevision"] },
    { jsonPointers: ["/spec/source/targetRevision"], name: "web" },
  ])
    assert.deepEqual(withoutIgnored(app, { name: "web", rules: [rule] }), without);
  assert.deepEqual(
    withoutIgnored(app, { name: "web", rules: [{ name: "api", jsonPointers: ["/spec"] }] }),
    app,
  );
});

test("what is more than a path is a jq's, which sees the Application with its name", () => {
  const expression = ".spec.sources[] | select(.ref)";
  assert.equal(needsJq([{ jqPathExpressions: [".spec.project"] }]), false);
  const rules = [{ jqPathExpressions: [expression, ".spec.project"] }];
  assert.equal(needsJq(rules), true);
  const asked: unknown[] = [];
  const deleteByJq = (manifest: Manifest, expressions: readonly string[]) => {
    asked.push([manifest.kind, manifest.metadata.name, ...expressions]);
    return { ...manifest, spec: {} };
  };
  const left = withoutIgnored({ metadata: {}, spec: { a: 1 } }, { name: "web", rules, deleteByJq });
  assert.deepEqual(left.spec, {});
  assert.deepEqual(asked, [["Application", "web", expression, ".spec.project"]]);
  assert.deepEqual(withoutIgnored({ spec: { a: 1 } }, { name: "web", rules }), { spec: { a: 1 } });
});
