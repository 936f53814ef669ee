import assert from "node:assert/strict";
import { test } from "node:test";
import { type Stage, stageChanges } from "./stage-changes.ts";

const object = (name: string, value: string) =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { value } });

const stage = (name: string, manifests: string[]): Stage => ({
  name,
  plugin: name,
  shapes: ["generate"],
  cache: "miss",
  ms: 1,
  sensitive: false,
  files: [],
  manifests,
  commands: [],
  announced: [],
  parameters: [],
  env: [],
});

test("each stage is compared with what the one before it left", () => {
  const changes = stageChanges([
    stage("first", [object("a", "1"), object("b", "1")]),
    stage("second", [object("a", "2"), object("c", "1")]),
    stage("third", [object("a", "2"), object("c", "1")]),
  ]);
  assert.deepEqual(
    changes.map(({ added, changed, removed, total }) => [added, changed, removed, total]),
    [
      [2, 0, 0, 2],
      [1, 1, 1, 2],
      [0, 0, 0, 2],
    ],
  );
  assert.deepEqual(
    changes[1]?.objects.map(({ title }) => title),
    ["ConfigMap a", "ConfigMap b", "ConfigMap c"],
  );
});
