import assert from "node:assert/strict";
import { test } from "node:test";
import type { Manifest } from "@capstan/model";
import { hookDeletePolicies, hookPhases, hookTypesOf, isHook, isIgnoredByHook } from "./hooks.ts";
import { waveOf } from "./waves.ts";

const annotated = (annotations: { [key: string]: string }): Manifest => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "j", annotations },
});
const argo = (types: string): Manifest => annotated({ "argocd.argoproj.io/hook": types });
const helm = (types: string): Manifest => annotated({ "helm.sh/hook": types });

const types: [string, Manifest, string[]][] = [
  ["several types", argo("PreSync, PostSync"), ["PreSync", "PostSync"]],
  ["Helm's install and upgrade are one", helm("pre-install,pre-upgrade"), ["PreSync"]],
  ["Helm's post-delete", helm("post-delete"), ["PostDelete"]],
  [
    "Argo CD's annotation wins",
    annotated({ "argocd.argoproj.io/hook": "Sync", "helm.sh/hook": "pre-install" }),
    ["Sync"],
  ],
  ["an unknown type is none", argo("Whenever"), []],
];
for (const [fact, manifest, expected] of types) {
  test(fact, () => assert.deepEqual([...hookTypesOf(manifest)], expected));
}

test("Skip alone leaves an object out and makes no hook of it", () => {
  assert.ok(isIgnoredByHook(argo("Skip")) && !isHook(argo("Skip")));
});

test("Helm's tests are left out, its crd-install is an ordinary object", () => {
  assert.ok(isIgnoredByHook(helm("test")) && !isHook(helm("test")));
  assert.ok(!isIgnoredByHook(helm("crd-install")) && !isHook(helm("crd-install")));
});

test("delete hooks have no phase in a sync", () => {
  assert.deepEqual(hookPhases(argo("PostDelete,PreSync")), ["PreSync"]);
});

test("a hook without a delete policy is deleted before it is made again", () => {
  assert.deepEqual([...hookDeletePolicies(argo("Sync"))], ["BeforeHookCreation"]);
});

test("delete policies of both annotations count", () => {
  const both = annotated({
    "argocd.argoproj.io/hook-delete-policy": "HookSucceeded",
    "helm.sh/hook-delete-policy": "hook-failed",
  });
  assert.deepEqual([...hookDeletePolicies(both)], ["HookSucceeded", "HookFailed"]);
});

const waves: [string, { [key: string]: string }, number][] = [
  ["no annotation is wave 0", {}, 0],
  ["waves may be negative", { "argocd.argoproj.io/sync-wave": "-5" }, -5],
  ["Helm's weight stands in", { "helm.sh/hook-weight": "3" }, 3],
  ["the wave wins over the weight", { "argocd.argoproj.io/sync-wave": "1", "helm.sh/hook-weight": "3" }, 1],
  ["a wave that is no number is none", { "argocd.argoproj.io/sync-wave": "soon" }, 0],
];
for (const [fact, annotations, expected] of waves) {
  test(fact, () => assert.equal(waveOf(annotated(annotations)), expected));
}
