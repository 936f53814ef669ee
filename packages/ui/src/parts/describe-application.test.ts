import assert from "node:assert/strict";
import { test } from "node:test";
import type { Application, ApplicationStatus, ApplicationTree } from "@capstan/model";
import { describeApplication } from "./describe-application.ts";
import { treeItems } from "./tree/tree-book.ts";

function app(status: ApplicationStatus, spec: Partial<Application["spec"]> = {}): Application {
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name: "web", namespace: "argocd" },
    spec: { project: "default", destination: {}, ...spec },
    status,
  };
}

const commit = (letter: string) => letter.repeat(40);

function sentence(status: ApplicationStatus, tree: ApplicationTree = {}, beside = {}) {
  const one = app(status);
  return describeApplication(one, treeItems(one, tree), beside).map(({ text, times = [], resource }) =>
    [
      text,
      ...times.map(({ word, at }) => `${word} ${at}`.trim()),
      ...(resource ? [`→ ${resource}`] : []),
    ].join(" | "),
  );
}

test("the commit's time and the deployment's are two facts, and a commit that changed nothing was not deployed", () => {
  const history = [{ id: 1, revision: commit("a"), deployedAt: "2026-11-23T10:00:00Z" }];
  const health = { status: "Healthy" } as const;
  const committedAt = "2026-11-23T10:35:00Z";
  assert.deepEqual(
    sentence({ sync: { status: "Synced", revision: commit("a") }, health, history }, {}, { committedAt }),
    ["Synced to aaaaaaa | committed 2026-11-23T10:35:00Z | deployed 2026-11-23T10:00:00Z", "Healthy"],
  );
  assert.deepEqual(
    sentence({ sync: { status: "Synced", revision: commit("b") }, health, history }, {}, { committedAt }),
    [
      "Synced to bbbbbbb | committed 2026-11-23T10:35:00Z | last deployed as aaaaaaa 2026-11-23T10:00:00Z",
      "Healthy",
    ],
  );
});

test("sources at one commit are told once", () => {
  const revisions = [commit("a"), commit("a"), commit("b")];
  assert.match(sentence({ sync: { status: "Synced", revisions } })[0] ?? "", /^Synced to aaaaaaa, bbbbbbb$/);
});

test("what cannot be rendered says why, once; what is not looked at yet says that", () => {
  const message =
    'helm failed with exit code 1 (helm template web .): Error: template: web/templates/a.yaml:6:16: executing "web/templates/a.yaml" at <.Values.ingress.host>: nil pointer evaluating interface {}.host';
  const conditions = [{ type: "ComparisonError", message }];
  assert.deepEqual(sentence({ sync: { status: "Unknown" }, health: { status: "Unknown" }, conditions }), [
    "Cannot be compared: web/templates/a.yaml:6 .Values.ingress.host is nil",
  ]);
  assert.deepEqual(sentence({}), ["Not compared yet"]);
});

const hook = {
  group: "batch",
  version: "v1",
  kind: "Job",
  namespace: "web",
  name: "migrate",
  hookType: "PreSync",
  hookPhase: "Failed",
  message: "Job has reached the specified backoff limit",
} as const;

test("a failed hook is named and led to, also by what it kept from being made", () => {
  const resources = [
    {
      group: "apps",
      kind: "Deployment",
      namespace: "web",
      name: "web",
      health: { status: "Missing" } as const,
    },
  ];
  const operationState = {
    operation: { retry: { limit: 5 } },
    phase: "Running" as const,
    startedAt: "2026-11-23T10:00:00Z",
    finishedAt: "2026-11-23T10:00:05Z",
    message:
      "one or more synchronization tasks completed unsuccessfully. Retrying attempt #2 at 2026-11-23T10:00:17Z.",
    retryCount: 1,
    syncResult: { revision: commit("a"), resources: [hook] },
  };
  const status: ApplicationStatus = {
    sync: { status: "OutOfSync", revision: commit("a") },
    health: { status: "Missing" },
    resources,
    operationState,
  };
  assert.deepEqual(sentence(status).slice(1), [
    "Sync failing: PreSync hook Job migrate: Job has reached the specified backoff limit · attempt 2 of 5 | in 2026-11-23T10:00:17Z | → batch/Job/web/migrate",
    "Missing: Deployment web, kept from being made by the failed sync | → batch/Job/web/migrate",
  ]);
  const { finishedAt: _, ...again } = operationState;
  assert.match(
    sentence({ ...status, operationState: { ...again, message: "" } })[1] ?? "",
    /^Syncing, attempt 1 of 5 after a failure/,
  );
});

test("the window that holds syncs is named before anybody presses Sync", () => {
  const deny = { kind: "deny", schedule: "0 22 * * *", duration: "8h", manualSync: false };
  const allow = { kind: "allow", schedule: "0 8 * * 1", duration: "1h", manualSync: false };
  const heldBy = (windows: object) =>
    sentence({ sync: { status: "Synced" }, health: { status: "Healthy" } }, {}, { windows }).slice(1, -1)[0];
  assert.equal(
    heldBy({ canSync: false, activeWindows: [deny], assignedWindows: [deny] }),
    "Syncs are held: window deny 0 22 * * * for 8h",
  );
  assert.equal(
    heldBy({ canSync: false, activeWindows: [], assignedWindows: [allow] }),
    "Syncs are held: outside of window allow 0 8 * * 1 for 1h",
  );
  assert.equal(heldBy({ canSync: true, activeWindows: [allow], assignedWindows: [allow] }), undefined);
  assert.equal(heldBy({ canSync: true, activeWindows: [], assignedWindows: [deny] }), undefined);
});

test("a sync that runs says how far it has come, by objects and waves, and what it waits for", () => {
  const object = (name: string, syncWave: number) => ({
    kind: "ConfigMap",
    name,
    namespace: "web",
    syncWave,
  });
  const resources = [object("a", 0), object("b", 1), object("c", 1), object("d", 5)];
  const result = (name: string) => ({
    ...object(name, 0),
    group: "",
    version: "v1",
    status: "Synced" as const,
  });
  const operationState = {
    operation: { sync: {} },
    phase: "Running" as const,
    startedAt: "2026-11-23T10:00:00Z",
    message: "waiting for healthy state of ConfigMap/c",
    syncResult: { revision: "", resources: ["a", "b", "c"].map(result) },
  };
  assert.match(
    sentence({ sync: { status: "OutOfSync" }, resources, operationState })[1] ?? "",
    /^Syncing, 3 of 4 objects, wave 2 of 3: waiting for healthy state of ConfigMap\/c/,
  );
});
