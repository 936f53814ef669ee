import assert from "node:assert/strict";
import { test } from "node:test";
import { at, TestCluster } from "../server/test-cluster.ts";
import { compareVersions } from "./registry.ts";

test("versions are ordered as Kubernetes orders them", () => {
  const versions = ["foo1", "v1alpha1", "v10", "v2beta1", "v2", "v1", "v11alpha2", "v2beta3", "foo10"];
  const ordered = ["v10", "v2", "v1", "v2beta3", "v2beta1", "v11alpha2", "v1alpha1", "foo1", "foo10"];
  assert.deepEqual(versions.sort(compareVersions), ordered);
});

test("an autoscaler is one object in both of its versions", async (t) => {
  const cluster = await TestCluster.start(t);
  const path = (version: string) =>
    `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`;
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
  const spec = { maxReplicas: 3, scaleTargetRef, targetCPUUtilizationPercentage: 70 };
  const created = await cluster.create(path("v1"), { metadata: { name: "a" }, spec });
  assert.equal(created.body.apiVersion, "autoscaling/v1");
  assert.equal(at(created.body, "spec", "targetCPUUtilizationPercentage"), 70);
  const newer = await cluster.get(`${path("v2")}/a`);
  assert.equal(newer.body.apiVersion, "autoscaling/v2");
  assert.equal(at(newer.body, "metadata", "uid"), at(created.body, "metadata", "uid"));
  assert.deepEqual(at(newer.body, "spec", "metrics"), [
    { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } } },
  ]);
  const memory = {
    type: "Resource",
    resource: { name: "memory", target: { type: "Utilization", averageUtilization: 5 } },
  };
  await cluster.patch(`${path("v2")}/a`, "merge", { spec: { metrics: [memory] } });
  const older = await cluster.get(`${path("v1")}/a`);
  assert.equal(at(older.body, "spec", "targetCPUUtilizationPercentage"), undefined);
  const annotation = at(older.body, "metadata", "annotations", "autoscaling.alpha.kubernetes.io/metrics");
  assert.deepEqual(JSON.parse(String(annotation)), [memory]);
});

test("an event is one object in both of its groups", async (t) => {
  const cluster = await TestCluster.start(t);
  const core = "/api/v1/namespaces/default/events";
  const events = "/apis/events.k8s.io/v1/namespaces/default/events";
  await cluster.create(core, {
    metadata: { name: "e" },
    involvedObject: { kind: "Pod", name: "p", namespace: "default" },
    reason: "Tested",
    message: "hello",
    type: "Normal",
  });
  const newer = await cluster.get(`${events}/e`);
  assert.deepEqual([newer.body.note, at(newer.body, "regarding", "name")], ["hello", "p"]);
  const chosen = await cluster.get(`${core}?fieldSelector=involvedObject.name%3Dp,reason%3DTested`);
  assert.equal(at(chosen.body, "items", "0", "message"), "hello");
  const alsoChosen = await cluster.get(`${events}?fieldSelector=regarding.name%3Dp,reason%3DTested`);
  assert.equal(at(alsoChosen.body, "items", "0", "note"), "hello");
});
