import assert from "node:assert/strict";
import { test } from "node:test";
import type { Application } from "@capstan/model";
import type { SyncPlanPreview } from "@capstan/wire";
import { firstChoices, rollbackVerb, syncRequest, syncVerb } from "./sync-choices.ts";

const app: Application = {
  apiVersion: "argoproj.io/v1alpha1",
  kind: "Application",
  metadata: { name: "web", namespace: "argocd" },
  spec: {
    project: "default",
    destination: {},
    syncPolicy: { automated: { prune: true }, syncOptions: ["CreateNamespace=true", "ServerSideApply=true"] },
  },
};

const plan = (counts: Partial<SyncPlanPreview["counts"]>): SyncPlanPreview => ({
  revision: "a",
  steps: [],
  counts: { create: 0, update: 0, delete: 0, hook: 0, unchanged: 0, ...counts },
  blockedBy: [],
  warnings: [],
  text: "",
});

test("the dialog begins with what the application says, and keeps options that it does not show", () => {
  const choices = firstChoices(app);
  assert.deepEqual(
    [choices.prune, choices.options.get("ServerSideApply"), choices.force],
    [true, true, false],
  );
  assert.deepEqual(syncRequest(app, choices), {
    prune: true,
    dryRun: false,
    strategy: { hook: {} },
    syncOptions: { items: ["CreateNamespace=true", "ServerSideApply=true"] },
  });
  const options = new Map(choices.options).set("ServerSideApply", false).set("Replace", true);
  assert.deepEqual(syncRequest(app, { ...choices, options }).syncOptions, {
    items: ["CreateNamespace=true", "ServerSideApply=false", "Replace=true"],
  });
});

test("what holds without being said is chosen already", () => {
  const { options } = firstChoices({ ...app, spec: { ...app.spec, syncPolicy: {} } });
  assert.deepEqual(
    [...options],
    [
      ["ApplyOutOfSyncOnly", false],
      ["ServerSideApply", true],
      ["Replace", false],
    ],
  );
});

test("skipping hooks, force and a revision travel as Argo CD takes them", () => {
  const request = syncRequest(app, { ...firstChoices(app), skipHooks: true, force: true, revision: "v2" });
  assert.deepEqual([request.strategy, request.revision], [{ apply: { force: true } }, "v2"]);
});

test("the button names what cannot be undone, and says where there is no plan of it", () => {
  const choices = firstChoices(app);
  assert.deepEqual(syncVerb(choices, "waiting"), { text: "Sync, prune", danger: true });
  assert.deepEqual(syncVerb({ ...choices, prune: false }, "waiting"), { text: "Sync", danger: false });
  assert.deepEqual(syncVerb({ ...choices, prune: false }, "absent"), {
    text: "Sync without plan",
    danger: true,
  });
  assert.deepEqual(syncVerb(choices, plan({ update: 3 })), { text: "Sync", danger: false });
  assert.deepEqual(syncVerb(choices, plan({ delete: 1 })), { text: "Sync, delete 1 object", danger: true });
  assert.deepEqual(syncVerb({ ...choices, force: true }, plan({ delete: 2 })), {
    text: "Sync, delete 2 objects, force",
    danger: true,
  });
  assert.deepEqual(syncVerb({ ...choices, dryRun: true }, plan({ delete: 2 })), {
    text: "Dry run",
    danger: false,
  });
  assert.deepEqual(rollbackVerb(true, "absent"), { text: "Roll back without plan, prune", danger: true });
  assert.deepEqual(rollbackVerb(false, plan({})), { text: "Roll back", danger: false });
});
