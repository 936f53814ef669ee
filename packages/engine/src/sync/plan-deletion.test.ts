import assert from "node:assert/strict";
import { test } from "node:test";
import type { Application, Manifest } from "@capstan/model";
import { planDeletion } from "./plan-deletion.ts";

const app = (metadata: Partial<Application["metadata"]> = {}, syncOptions: string[] = []): Application => ({
  apiVersion: "argoproj.io/v1alpha1",
  kind: "Application",
  metadata: { name: "shop", namespace: "argocd", deletionTimestamp: "2026-01-01T00:00:00Z", ...metadata },
  spec: { project: "default", destination: {}, syncPolicy: { syncOptions } },
});

const object = (name: string, annotations: { [key: string]: string } = {}, extra = {}): Manifest => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "shop", uid: name, annotations, ...extra },
});

const wave = (name: string, number: number, extra = {}): Manifest =>
  object(name, { "argocd.argoproj.io/sync-wave": String(number) }, extra);

test("the last wave goes first", () => {
  const plan = planDeletion({ app: app(), live: [wave("a", 0), wave("b", 5), wave("c", 5)] });
  assert.equal(plan.state, "delete");
  assert.deepEqual(
    plan.deletions.map(({ uid }) => uid),
    ["b", "c"],
  );
});

test("the next wave waits until the last is gone", () => {
  const leaving = wave("b", 5, { deletionTimestamp: "2026-01-01T00:00:01Z" });
  const plan = planDeletion({ app: app(), live: [wave("a", 0), leaving] });
  assert.equal(plan.state, "wait");
  assert.deepEqual(
    plan.leaving.map(({ name }) => name),
    ["b"],
  );
});

test("nothing left is done", () => {
  assert.equal(planDeletion({ app: app(), live: [] }).state, "done");
});

const crd: Manifest = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
};
const itself: Manifest = {
  apiVersion: "argoproj.io/v1alpha1",
  kind: "Application",
  metadata: { name: "shop", namespace: "argocd" },
};
const kept: [string, Manifest, string[]][] = [
  ["CRDs", crd, []],
  ["the application itself", itself, []],
  ["Delete=false", object("a", { "argocd.argoproj.io/sync-options": "Delete=false" }), []],
  ["Delete=false for all", object("a"), ["Delete=false"]],
  ["Helm's keep", object("a", { "helm.sh/resource-policy": "keep" }), []],
];
for (const [fact, manifest, options] of kept) {
  test(`kept: ${fact}`, () => {
    const plan = planDeletion({ app: app({}, options), live: [manifest] });
    assert.equal(plan.state, "done");
    assert.equal(plan.kept.length, 1);
  });
}

test("one object that wants confirmation holds up the whole cascade", () => {
  const live = [object("a"), object("b", { "argocd.argoproj.io/sync-options": "Delete=confirm" })];
  assert.equal(planDeletion({ app: app(), live }).state, "confirm");
  const annotations = { "argocd.argoproj.io/deletion-approved": "2026-01-01T00:00:05Z" };
  assert.equal(planDeletion({ app: app({ annotations }), live }).state, "delete");
});

test("a confirmation from before the deletion does not count", () => {
  const annotations = { "argocd.argoproj.io/deletion-approved": "2025-12-31T00:00:00Z" };
  assert.equal(
    planDeletion({ app: app({ annotations }, ["Prune=confirm"]), live: [object("a")] }).state,
    "confirm",
  );
});

test("the background finalizer changes how objects are deleted", () => {
  assert.equal(planDeletion({ app: app(), live: [] }).propagation, "Foreground");
  const finalizers = ["resources-finalizer.argocd.argoproj.io/background"];
  assert.equal(planDeletion({ app: app({ finalizers }), live: [] }).propagation, "Background");
});
