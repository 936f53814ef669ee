import assert from "node:assert/strict";
import { test } from "node:test";
import { readAggregated, readGroupVersions, readResourceList } from "./api-resource.ts";

test("aggregated discovery: the first version that has a kind is the preferred one", () => {
  const resource = (name: string, kind: string) => ({
    resource: name,
    responseKind: { kind },
    scope: "Namespaced",
    verbs: ["get", "list"],
    subresources: [{ subresource: "status" }],
  });
  const rows = readAggregated({
    items: [
      {
        metadata: { name: "autoscaling" },
        versions: [
          { version: "v2", resources: [resource("horizontalpodautoscalers", "HorizontalPodAutoscaler")] },
          {
            version: "v1",
            resources: [
              resource("horizontalpodautoscalers", "HorizontalPodAutoscaler"),
              resource("olds", "Old"),
            ],
          },
        ],
      },
    ],
  });
  assert.deepEqual(
    rows.map(({ version, kind, preferred, subresources }) => [version, kind, preferred, ...subresources]),
    [
      ["v2", "HorizontalPodAutoscaler", true, "status"],
      ["v1", "HorizontalPodAutoscaler", false, "status"],
      ["v1", "Old", true, "status"],
    ],
  );
});

test("the older form of discovery", () => {
  const groups = {
    groups: [
      {
        preferredVersion: { groupVersion: "apps/v1" },
        versions: [{ groupVersion: "apps/v1beta1" }, { groupVersion: "apps/v1" }],
      },
    ],
  };
  assert.deepEqual(readGroupVersions(groups), ["apps/v1", "apps/v1beta1"]);
  const list = {
    resources: [
      { name: "deployments", kind: "Deployment", namespaced: true, verbs: ["get"], shortNames: ["deploy"] },
      { name: "deployments/scale", kind: "Scale", namespaced: true, verbs: ["get"] },
    ],
  };
  assert.deepEqual(readResourceList(list, "apps/v1"), [
    {
      group: "apps",
      version: "v1",
      kind: "Deployment",
      resource: "deployments",
      namespaced: true,
      verbs: ["get"],
      shortNames: ["deploy"],
      subresources: ["scale"],
    },
  ]);
});
