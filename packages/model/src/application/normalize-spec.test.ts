import assert from "node:assert/strict";
import { test } from "node:test";
import { normalizeApplicationSpec } from "./normalize-spec.ts";

const spec = { project: "", destination: { server: "https://kubernetes.default.svc" } };

test("an empty policy goes, an empty automation stays", () => {
  assert.deepEqual(normalizeApplicationSpec({ ...spec, syncPolicy: {} }), { ...spec, project: "default" });
  const automated = { ...spec, syncPolicy: { automated: {} } };
  assert.deepEqual(normalizeApplicationSpec(automated), { ...automated, project: "default" });
});
