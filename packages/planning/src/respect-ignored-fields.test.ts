import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultDiffRules } from "@capstan/engine";
import type { Manifest } from "@capstan/model";
import { respectIgnoredFields } from "./respect-ignored-fields.ts";

const deployment = (spec: Record<string, unknown>): Manifest => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "web" },
  spec,
});
const ignoring = (...jsonPointers: string[]) => ({
  ...defaultDiffRules,
  ignoreDifferences: [{ group: "apps", kind: "Deployment", jsonPointers }],
});

test("an ignored field takes its live value, all others that of git", () => {
  const merged = respectIgnoredFields(
    deployment({ replicas: 1, paused: false }),
    deployment({ replicas: 5, paused: true, extra: 1 }),
    ignoring("/spec/replicas"),
  );
  assert.deepEqual(merged.spec, { replicas: 5, paused: false });
});

test("an ignored field that git does not name is kept too", () => {
  const merged = respectIgnoredFields(
    deployment({ paused: false }),
    deployment({ replicas: 5, paused: true }),
    ignoring("/spec/replicas"),
  );
  assert.deepEqual(merged.spec, { paused: false, replicas: 5 });
});

test("an ignored field that is not there stays away", () => {
  const merged = respectIgnoredFields(
    deployment({ replicas: 1, paused: false }),
    deployment({ paused: true }),
    ignoring("/spec/replicas"),
  );
  assert.deepEqual(merged.spec, { paused: false });
});

test("a field within a list", () => {
  const containers = (image: string, name = "main") => ({ containers: [{ name, image }] });
  const merged = respectIgnoredFields(
    deployment({ template: { spec: containers("a:1") } }),
    deployment({ template: { spec: containers("a:2") } }),
    ignoring("/spec/template/spec/containers/0/image"),
  );
  assert.deepEqual(merged.spec, { template: { spec: containers("a:2") } });
});

test("without rules the target stays what it is", () => {
  const target = deployment({ replicas: 1 });
  assert.deepEqual(respectIgnoredFields(target, deployment({ replicas: 2 }), defaultDiffRules), target);
});

test("fields of the managers that ignoreDifferences names take their live values, where git has them too", () => {
  const containers = (...images: string[]) => ({
    containers: images.map((image, index) => ({ name: `c${index}`, image })),
  });
  const image = { 'k:{"name":"c1"}': { "f:image": {} } };
  const spec = { "f:replicas": {}, "f:paused": {}, "f:template": { "f:spec": { "f:containers": image } } };
  const live: Manifest = {
    ...deployment({ replicas: 5, paused: true, template: { spec: containers("a:9", "b:9") } }),
    metadata: {
      name: "web",
      namespace: "web",
      labels: { tier: "theirs", own: "theirs" },
      managedFields: [
        {
          manager: "autoscaler",
          operation: "Update",
          fieldsV1: {
            "f:metadata": { "f:labels": { ".": {}, "f:tier": {} } },
            "f:spec": { ".": {}, ...spec },
          },
        },
      ],
    },
  };
  const labels = { tier: "git", own: "git" };
  const target: Manifest = {
    ...deployment({ replicas: 1, template: { spec: containers("a:1", "b:1") } }),
    metadata: { name: "web", namespace: "web", labels },
  };
  const rules = (manager: string) => ({
    ...defaultDiffRules,
    ignoreDifferences: [{ group: "apps", kind: "Deployment", managedFieldsManagers: [manager] }],
  });
  const merged = respectIgnoredFields(target, live, rules("autoscaler"));
  assert.deepEqual(merged.spec, { replicas: 5, template: { spec: containers("a:1", "b:9") } });
  assert.deepEqual(merged.metadata.labels, { tier: "theirs", own: "git" });
  assert.deepEqual(respectIgnoredFields(target, live, rules("somebody")), target);
});
