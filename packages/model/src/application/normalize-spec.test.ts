import assert from "node:assert/strict";
import { test } from "node:test";
import { normalizeApplicationSpec } from "./normalize-spec.ts";

const spec = { project: "", destination: { server: "https://kubernetes.default.svc" } };

test("an empty policy goes, an empty automation stays", () => {
  assert.deepEqual(normalizeApplicationSpec({ ...spec, syncPolicy: {} }), { ...spec, project: "default" });
  const automated = { ...spec, syncPolicy: { automated: {} } };
  assert.deepEqual(normalizeApplicationSpec(automated), { ...automated, project: "default" });
});

test("a spec that has nothing to change stays the very same", () => {
  const source = { repoURL: "https://example.com/apps.git", path: "app", helm: { releaseName: "one" } };
  const short = { ...spec, project: "default", source };
  assert.equal(normalizeApplicationSpec(short), short);
  const long = { ...short, source: { ...source, kustomize: {} } };
  assert.deepEqual(normalizeApplicationSpec(long), short);
});
