import assert from "node:assert/strict";
import { test } from "node:test";
import { settingsOf } from "./read-repository.ts";
import { shownRepository } from "./shown-repository.ts";

test("a registry of Helm charts is shown as what it was given as, one of OCI artifacts as that", () => {
  const given = { repo: "registry.example/charts", type: "helm", enableOCI: true, name: "charts" };
  assert.deepEqual(shownRepository(settingsOf(given)), given);
  const artifacts = { repo: "oci://registry.example/app", type: "oci" };
  assert.deepEqual(shownRepository(settingsOf({ ...artifacts, enableOCI: true })), artifacts);
});
