import assert from "node:assert/strict";
import { test } from "node:test";
import { destinationCluster, searchTextOf, wordSearch } from "./search-application.ts";

const app = {
  apiVersion: "argoproj.io/v1alpha1",
  kind: "Application",
  metadata: { name: "Web", namespace: "argocd", labels: { team: "Shop" } },
  spec: {
    project: "default",
    sources: [
      { repoURL: "https://git.example.com/web.git", path: "deploy/prod", targetRevision: "main" },
      { repoURL: "oci://charts.example.com", chart: "redis" },
    ],
    destination: { server: "https://kubernetes.default.svc", namespace: "front" },
  },
  status: { sync: { status: "Synced" as const, revisions: ["0123abc", "1.2.3"] } },
};
const finds = (text: string) => wordSearch(text)(searchTextOf(app));

test("an application is found by each word that belongs to it, whatever its capitals", () => {
  for (const text of ["web", "WEB argocd", "team=shop", "in-cluster front", "kubernetes.default.svc", "  "])
    assert.ok(finds(text), text);
  for (const text of ["web.git", "deploy/prod main", "redis oci://", "0123 1.2.3", "default"])
    assert.ok(finds(text), text);
  for (const text of ["web absent", "front\nargocd2", ".*", "shop=team"]) assert.ok(!finds(text), text);
});

test("who writes a long application makes no search long", () => {
  const labels = { long: "x".repeat(100_000) };
  const text = searchTextOf({ ...app, metadata: { ...app.metadata, labels } });
  assert.equal(text.length, 16_384);
});

test("a cluster is called by its name, else by its address", () => {
  const to = (destination: object) => destinationCluster({ ...app, spec: { ...app.spec, destination } });
  assert.equal(to({ name: "prod", server: "" }), "prod");
  assert.equal(to({ server: "https://kubernetes.default.svc" }), "in-cluster");
  assert.equal(to({ server: "https://10.0.0.1:6443" }), "10.0.0.1:6443");
});
