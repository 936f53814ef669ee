import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApplicationSpec } from "@capstan/model";
import { normalSpec } from "./normal-spec.ts";

const spec = (more: Partial<ApplicationSpec>): ApplicationSpec => ({
  project: "default",
  destination: { namespace: "shop" },
  ...more,
});
const repoURL = "https://git.example/shop.git";

test("what says nothing of a tool or a policy is left out", () => {
  const empty = {
    helm: { values: "", parameters: [], skipCrds: false, valuesObject: {} },
    kustomize: { images: [], commonLabels: {} },
    directory: { recurse: false, jsonnet: {} },
  };
  const given = spec({
    project: "",
    source: { repoURL, path: "app", ...empty },
    syncPolicy: { syncOptions: [] },
  });
  assert.deepEqual(normalSpec(given), spec({ source: { repoURL, path: "app" } }));
});

test("what says something stays whole", () => {
  const source = { repoURL, path: "app", directory: { recurse: false, exclude: "*.md" } };
  const written = spec({ source, syncPolicy: { automated: {} } });
  assert.deepEqual(normalSpec(written), written);
  const several = spec({ sources: [{ repoURL, helm: {} }] });
  assert.deepEqual(normalSpec(several), several);
});
