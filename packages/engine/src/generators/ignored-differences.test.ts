import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApplicationSet } from "@capstan/model";
import { generateApplications } from "./generate-applications.ts";
import { readJqPath, withoutIgnored } from "./ignored-differences.ts";
import { fastTemplates } from "./templates.ts";

test("jq expressions that are a path name the field that jsonPointers name", () => {
  assert.deepEqual(readJqPath('.metadata.labels["a/b"]'), ["metadata", "labels", "a/b"]);
  const app = { metadata: { name: "web" }, spec: { source: { targetRevision: "v2", path: "a" } } };
  const without = { metadata: { name: "web" }, spec: { source: { path: "a" } } };
  for (const rule of [
    { jqPathExpressions: [".spec.source.targetRevision"] },
    { jsonPointers: ["/spec/source/targetRevision"], name: "web" },
  ])
    assert.deepEqual(withoutIgnored(app, "web", [rule]), without);
  assert.deepEqual(withoutIgnored(app, "web", [{ name: "api", jsonPointers: ["/spec"] }]), app);
});

test("an expression that is more than a path fails the set, so that its conditions say so", () => {
  const expression = ".spec.sources[] | select(.ref)";
  const set: ApplicationSet = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "ApplicationSet",
    metadata: { name: "set" },
    spec: {
      generators: [],
      template: { metadata: { name: "web" }, spec: { project: "default", destination: {} } },
      ignoreApplicationDifferences: [{ jqPathExpressions: [expression] }],
    },
  };
  const found = generateApplications({
    set,
    facts: { clusters: [], answerTo: () => undefined },
    templates: fastTemplates,
  });
  assert.ok(found.kind === "failed");
  assert.match(
    found.message,
    /the jq expression "\.spec\.sources\[\] \| select\(\.ref\)" is more than a path/,
  );
});
