import assert from "node:assert/strict";
import { test } from "node:test";
import type { Manifest } from "@capstan/model";
import { defaultTracking, isSelfReferenced, type Tracking, track, trackedInstance } from "./tracking.ts";

const deployment: Manifest = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "shop" },
};
const role: Manifest = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: "a:b" },
};
const owner = { instance: "argocd_shop", namespace: "shop" };
const by = (method: Tracking["method"], extra: Partial<Tracking> = {}): Tracking => ({
  ...defaultTracking,
  method,
  ...extra,
});

test("the annotation tells application and object", () => {
  assert.deepEqual(track(deployment, owner, by("annotation")).metadata.annotations, {
    "argocd.argoproj.io/tracking-id": "argocd_shop:apps/Deployment:shop/web",
  });
});

test("the id of a cluster-scoped object holds the destination's namespace", () => {
  const id = track(role, owner, by("annotation")).metadata.annotations?.["argocd.argoproj.io/tracking-id"];
  assert.equal(id, "argocd_shop:rbac.authorization.k8s.io/ClusterRole:shop/a:b");
});

test("beside the annotation, the label is cut to 63 characters", () => {
  const long = { ...owner, instance: `${"x".repeat(62)}-tail` };
  const labels = track(deployment, long, by("annotation+label")).metadata.labels;
  assert.equal(labels?.["app.kubernetes.io/instance"], "x".repeat(62));
});

test("a CRD is never tracked", () => {
  const crd = { ...role, apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };
  assert.equal(track(crd, owner, by("annotation")), crd);
});

test("tracking leaves the manifest that it was given alone", () => {
  track(deployment, owner, by("annotation+label"));
  assert.deepEqual(deployment.metadata, { name: "web", namespace: "shop" });
});

for (const method of ["annotation", "annotation+label", "label"] as const) {
  test(`what was tracked by ${method} is found by it`, () => {
    assert.equal(trackedInstance(track(deployment, owner, by(method)), by(method)), "argocd_shop");
  });
}

test("another installation's objects are not ours", () => {
  const theirs = track(deployment, owner, by("annotation", { installationId: "a" }));
  assert.equal(trackedInstance(theirs, by("annotation", { installationId: "b" })), undefined);
  assert.equal(trackedInstance(theirs, by("annotation", { installationId: "a" })), "argocd_shop");
});

test("an object whose id names it is itself, a copy under another name is not", () => {
  const live = track(deployment, owner, by("annotation"));
  assert.ok(isSelfReferenced(live, by("annotation")));
  assert.ok(!isSelfReferenced({ ...live, metadata: { ...live.metadata, name: "copy" } }, by("annotation")));
});

test("a hook that was named by the sync is itself, another object without a name in its id is not", () => {
  const { name: _, ...metadata } = deployment.metadata;
  const annotations = { "argocd.argoproj.io/hook": "PostSync" };
  const tracked = track({ ...deployment, metadata: { ...metadata, annotations } }, owner, by("annotation"));
  const live = { ...tracked, metadata: { ...tracked.metadata, name: "made-at-the-sync" } };
  assert.ok(isSelfReferenced(live, by("annotation")));
  const { "argocd.argoproj.io/hook": _hook, ...rest } = live.metadata.annotations ?? {};
  assert.ok(
    !isSelfReferenced({ ...live, metadata: { ...live.metadata, annotations: rest } }, by("annotation")),
  );
});

test("a cluster-scoped object is itself although its id has a namespace", () => {
  assert.ok(isSelfReferenced(track(role, owner, by("annotation")), by("annotation")));
});
