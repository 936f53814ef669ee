import assert from "node:assert/strict";
import { test } from "node:test";
import type { AppProject } from "@capstan/model";
import { isIgnoredOrphan } from "./orphans.ts";

const projectWith = (ignore?: { group?: string; kind?: string; name?: string }[]): AppProject => ({
  apiVersion: "argoproj.io/v1alpha1",
  kind: "AppProject",
  metadata: { name: "team" },
  spec: { orphanedResources: ignore ? { ignore } : {} },
});
const key = (kind: string, name: string, { group = "", namespace = "web" } = {}) => ({
  group,
  kind,
  namespace,
  name,
});

test("what every namespace holds is no orphan, and nothing that only looks like it", () => {
  const ignored = (one: ReturnType<typeof key>) => isIgnoredOrphan(projectWith(), one);
  assert.ok(ignored(key("Service", "kubernetes", { namespace: "default" })));
  assert.ok(ignored(key("ServiceAccount", "default")));
  assert.ok(ignored(key("ConfigMap", "kube-root-ca.crt")));
  assert.ok(!ignored(key("Service", "kubernetes")), "of another namespace");
  assert.ok(!ignored(key("ServiceAccount", "default", { group: "example.com" })), "of another group");
  assert.ok(!ignored(key("ConfigMap", "other")));
});

/** As controller/appcontroller.go reads the entries; the first two are those of Argo CD's TestOrphanedResource. */
const entries: [string, { group?: string; kind?: string; name?: string }, boolean][] = [
  ["another group", { group: "Test", kind: "ConfigMap" }, false],
  ["the core group by its absence", { kind: "ConfigMap" }, true],
  ["a kind and a name", { kind: "ConfigMap", name: "left-over" }, true],
  ["another name", { kind: "ConfigMap", name: "other" }, false],
  ["globs", { group: "*", kind: "Config*", name: "left-*" }, true],
  ["a group alone", { group: "" }, true],
  ["nothing, which is every kind of the core group", {}, true],
  ["a pattern without an end", { kind: "[" }, false],
];
for (const [what, entry, isIgnored] of entries)
  test(`an entry that names ${what} ${isIgnored ? "matches" : "does not match"}`, () => {
    assert.equal(isIgnoredOrphan(projectWith([entry]), key("ConfigMap", "left-over")), isIgnored);
  });

test("an entry without a group is about the core group alone", () => {
  const deployment = key("Deployment", "web", { group: "apps" });
  assert.equal(isIgnoredOrphan(projectWith([{ kind: "Deployment" }]), deployment), false);
  assert.equal(isIgnoredOrphan(projectWith([{ group: "apps" }]), deployment), true);
});
