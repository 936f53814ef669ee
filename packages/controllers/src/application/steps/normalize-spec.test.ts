import assert from "node:assert/strict";
import { test } from "node:test";
import { normalizedSpec } from "./normalize-spec.ts";

const spec = { project: "", destination: { server: "https://kubernetes.default.svc" } };

test("an empty policy goes, an empty automation stays", () => {
  assert.deepEqual(normalizedSpec({ ...spec, syncPolicy: {} }), { ...spec, project: "default" });
  const automated = { ...spec, syncPolicy: { automated: {} } };
  assert.deepEqual(normalizedSpec(automated), { ...automated, project: "default" });
});
