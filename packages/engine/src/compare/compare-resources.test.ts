import assert from "node:assert/strict";
import { test } from "node:test";
import type { Application, Manifest } from "@capstan/model";
import { diffManifest } from "../diff/diff-manifest.ts";
import { defaultDiffRules } from "../diff/diff-rules.ts";
import { defaultTracking, track } from "../tracking/tracking.ts";
import { buildTargets } from "./build-targets.ts";
import { type Comparison, compareResources, pairResources } from "./compare-resources.ts";

const object = (
  name: string,
  metadata: Partial<Manifest["metadata"]> = {},
  kind = "ConfigMap",
): Manifest => ({
  apiVersion: "v1",
  kind,
  metadata: { name, ...metadata },
});

const targetsOf = (...manifests: Manifest[]) => targetsIn("ns", manifests);

const targetsIn = (namespace: string, manifests: readonly Manifest[]) =>
  buildTargets({
    manifests,
    instance: "shop",
    namespace,
    tracking: defaultTracking,
    kindOf: (_group, kind) => (kind === "Widget" ? undefined : { namespaced: kind !== "Namespace" }),
    isExcluded: (_group, kind) => kind === "Event",
  });

test("a namespaced object without a namespace goes to the destination's", () => {
  assert.equal(targetsOf(object("a")).resources[0]?.metadata.namespace, "ns");
});

test("a namespaced object for which nobody names a namespace is said, and only that", () => {
  const objects = [
    object("a"),
    object("b", { namespace: "x" }),
    object("n", {}, "Namespace"),
    object("w", {}, "Widget"),
  ];
  assert.deepEqual(targetsIn("", objects).conditions, [
    { type: "InvalidSpecError", message: "Namespace for a /v1, Kind=ConfigMap is missing." },
  ]);
});

test("a cluster-scoped object loses a namespace", () => {
  assert.equal(
    targetsOf(object("a", { namespace: "x" }, "Namespace")).resources[0]?.metadata.namespace,
    undefined,
  );
});

test("of duplicates the last wins, and the count is told", () => {
  const targets = targetsOf(
    object("a", { labels: { n: "1" } }),
    object("a", { labels: { n: "2" } }),
    object("a", { labels: { n: "3" } }),
  );
  assert.deepEqual(
    targets.resources.map(({ metadata }) => metadata.labels),
    [{ n: "3" }],
  );
  assert.deepEqual(targets.conditions, [
    {
      type: "RepeatedResourceWarning",
      message: "Resource /ConfigMap/ns/a appeared 3 times among application resources.",
    },
  ]);
});

test("hooks and skipped objects are no targets, excluded kinds are told", () => {
  const targets = targetsOf(
    object("h", { annotations: { "argocd.argoproj.io/hook": "PreSync" } }),
    object("s", { annotations: { "argocd.argoproj.io/hook": "Skip" } }),
    object("e", {}, "Event"),
  );
  assert.deepEqual(
    targets.resources.map(({ metadata }) => metadata.name),
    ["s"],
  );
  assert.equal(targets.hooks.length, 1);
  assert.equal(targets.conditions[0]?.type, "ExcludedResourceWarning");
  assert.match(targets.conditions[0]?.message ?? "", /^Resource \S*\/\w+ \S+ is excluded in the settings/);
});

const app: Application = {
  apiVersion: "argoproj.io/v1alpha1",
  kind: "Application",
  metadata: { name: "shop" },
  spec: { project: "default", destination: {} },
};

const tracked = (name: string, metadata: Partial<Manifest["metadata"]> = {}, instance = "shop"): Manifest =>
  track(object(name, { namespace: "ns", ...metadata }), { instance, namespace: "ns" }, defaultTracking);

function compare(targets: Manifest[], live: Manifest[], permits = true): Comparison {
  const tracking = defaultTracking;
  return compareResources({
    app,
    instance: "shop",
    tracking,
    pairs: pairResources({ targets, live, instance: "shop", tracking }),
    permits: () => permits,
    diffOf: ({ target, live: found }) =>
      target === undefined || found === undefined
        ? { verdict: "modified", fields: [] }
        : diffManifest(target, found, defaultDiffRules),
  });
}

const statuses = ({ resources }: Comparison) =>
  resources.map(({ status }) => `${status.name} ${status.status}${status.requiresPruning ? " prune" : ""}`);

test("equal is Synced, absent and surplus are OutOfSync", () => {
  const comparison = compare([tracked("a"), tracked("b")], [tracked("a"), tracked("old")]);
  assert.equal(comparison.status, "OutOfSync");
  assert.deepEqual(statuses(comparison), ["a Synced", "b OutOfSync", "old OutOfSync prune"]);
});

test("everything equal is Synced", () => {
  assert.equal(compare([tracked("a")], [tracked("a")]).status, "Synced");
});

test("an object that another controller made from ours is not ours to prune", () => {
  const copy = tracked("a");
  const comparison = compare([], [{ ...copy, metadata: { ...copy.metadata, name: "copy" } }]);
  assert.equal(comparison.status, "Synced");
  assert.equal(comparison.resources[0]?.requiresPruning, false);
});

test("objects with owners are not managed roots", () => {
  const ownerReferences = [{ apiVersion: "v1", kind: "X", name: "x", uid: "1" }];
  assert.equal(compare([], [tracked("a", { ownerReferences })]).resources.length, 0);
});

test("an object that belongs to another application is told", () => {
  const comparison = compare([tracked("a")], [tracked("a", {}, "other")]);
  assert.deepEqual(comparison.conditions, [
    { type: "SharedResourceWarning", message: "ConfigMap ns/a is part of applications shop and other" },
  ]);
});

test("what the project forbids shows as Unknown but still counts", () => {
  const comparison = compare([tracked("a")], [], false);
  assert.deepEqual(statuses(comparison), ["a Unknown"]);
  assert.equal(comparison.status, "OutOfSync");
});

test("IgnoreExtraneous shows OutOfSync without affecting the application", () => {
  const annotations = { "argocd.argoproj.io/compare-options": "IgnoreExtraneous" };
  const comparison = compare([], [tracked("a", { annotations })]);
  assert.deepEqual(statuses(comparison), ["a OutOfSync prune"]);
  assert.equal(comparison.status, "Synced");
});

test("a live hook has no status", () => {
  const annotations = { "argocd.argoproj.io/hook": "PreSync" };
  const [resource] = compare([], [tracked("a", { annotations })]).resources;
  assert.equal(resource?.status.status, undefined);
  assert.equal(resource?.status.hook, true);
});

test("other metadata for the destination namespace makes an application OutOfSync", () => {
  const withMetadata = (given: { [key: string]: string }): Application => ({
    ...app,
    spec: {
      ...app.spec,
      syncPolicy: { syncOptions: ["CreateNamespace=true"], managedNamespaceMetadata: { labels: { a: "2" } } },
    },
    status: {
      operationState: {
        operation: {},
        phase: "Succeeded",
        startedAt: "2026-01-01T00:00:00Z",
        syncResult: { managedNamespaceMetadata: { labels: given } },
      },
    },
  });
  const statusOf = (application: Application) =>
    compareResources({
      app: application,
      instance: "shop",
      tracking: defaultTracking,
      pairs: [],
      diffOf: () => ({ verdict: "same", fields: [] }),
    }).status;
  assert.equal(statusOf(withMetadata({ a: "1" })), "OutOfSync");
  assert.equal(statusOf(withMetadata({ a: "2" })), "Synced");
});

test("what git says to skip has no status, and is neither missed nor pruned", () => {
  const skipped = tracked("a", { annotations: { "argocd.argoproj.io/hook": "Skip" } });
  const absent = compare([skipped], []);
  assert.deepEqual([absent.status, statuses(absent)], ["Synced", ["a undefined"]]);
  const present = compare([skipped], [tracked("a", { labels: { other: "x" } })]);
  assert.deepEqual([present.status, statuses(present)], ["Synced", ["a undefined"]]);
});

test("a hook that lives is told as a hook also where git says to skip it now", () => {
  const skipped = tracked("a", { annotations: { "argocd.argoproj.io/hook": "Skip" } });
  const live = tracked("a", { annotations: { "argocd.argoproj.io/hook": "PreSync" } });
  const comparison = compare([skipped], [live]);
  assert.deepEqual([comparison.status, statuses(comparison)], ["Synced", ["a undefined"]]);
  assert.equal(comparison.resources[0]?.status.hook, true);
});

test("a hook that lives is told as one that nothing in git stands for, and not pruned", () => {
  const live = tracked("h", {
    annotations: { "argocd.argoproj.io/hook": "PreSync", "argocd.argoproj.io/sync-wave": "3" },
  });
  const [found] = compare([], [live]).resources;
  assert.equal(found?.requiresPruning, false);
  const { hook, requiresPruning, syncWave } = found?.status ?? {};
  assert.deepEqual(
    { hook, requiresPruning, syncWave },
    { hook: true, requiresPruning: true, syncWave: undefined },
  );
});

test("what lives where git now has a hook is not pruned: the hook takes its place", () => {
  const hook = tracked("a", { annotations: { "argocd.argoproj.io/hook": "PostSync" } });
  const tracking = defaultTracking;
  const pairs = pairResources({
    targets: [],
    hooks: [hook],
    live: [tracked("a")],
    instance: "shop",
    tracking,
  });
  assert.deepEqual(pairs, []);
});
