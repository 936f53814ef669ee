import assert from "node:assert/strict";
import { test } from "node:test";
import { sourceDifferences } from "./source-differences.ts";

const source = { repoURL: "https://git.example.com/a.git", path: "web", targetRevision: "main" };

test("parameters are compared by their names, whatever their order; images by what they replace", () => {
  const before = {
    ...source,
    helm: {
      parameters: [
        { name: "replicas", value: "5" },
        { name: "tier", value: "gold" },
      ],
    },
    kustomize: { images: ["web:2", "db=registry/db:1"] },
  };
  const after = {
    ...source,
    helm: {
      parameters: [
        { name: "tier", value: "gold" },
        { name: "replicas", value: "2" },
        { name: "new", value: "x" },
      ],
    },
    kustomize: { images: ["db=registry/db:1", "web:1"] },
  };
  assert.deepEqual(sourceDifferences([before], [after]), [
    { field: "helm.parameters.new", before: "", after: "x" },
    { field: "helm.parameters.replicas", before: "5", after: "2" },
    { field: "kustomize.images.web", before: "web:2", after: "web:1" },
  ]);
  assert.deepEqual(sourceDifferences([before], [before]), []);
});

test("of several sources each difference says which one", () => {
  const [older, newer] = [
    { ...source, targetRevision: "v1" },
    { ...source, targetRevision: "v2" },
  ];
  assert.deepEqual(sourceDifferences([source, newer], [source, older]), [
    { field: "2: targetRevision", before: "v2", after: "v1" },
  ]);
});
