import assert from "node:assert/strict";
import { test } from "node:test";
import type { Application, AppProject } from "@capstan/model";
import { childHealth } from "./child-health.ts";

const source = { repoURL: "https://git.example/a", path: "app", targetRevision: "main" };
const destination = { server: "https://kubernetes.default.svc", namespace: "a" };
const nowMs = Date.parse("2026-11-29T12:00:00Z");
const at = (secondsAgo: number) => new Date(nowMs - secondsAgo * 1000).toISOString().replace(/\.\d+Z/, "Z");

type Status = NonNullable<Application["status"]>;
const done: Status = {
  sync: { status: "Synced", revision: "1", comparedTo: { source, destination } },
  health: { status: "Healthy" },
  reconciledAt: at(50),
  operationState: {
    operation: { sync: {} },
    phase: "Succeeded",
    startedAt: at(70),
    finishedAt: at(60),
    syncResult: { revision: "1", source },
  },
};

function child(status: Partial<Status>, more: Partial<Application> = {}): Application {
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name: "child", namespace: "argocd" },
    spec: { project: "default", source, destination, syncPolicy: { automated: {} } },
    status: { ...done, ...status },
    ...more,
  };
}

const project: AppProject = {
  apiVersion: "argoproj.io/v1alpha1",
  kind: "AppProject",
  metadata: { name: "default", namespace: "argocd" },
  spec: {},
};
const other: NonNullable<Status["sync"]> = { ...done.sync, status: "OutOfSync" };
const newer: NonNullable<Status["sync"]> = { ...other, revision: "2" };
const operation = done.operationState;
assert.ok(operation);
const finished = (phase: "Succeeded" | "Failed", secondsAgo: number) => ({
  operationState: { ...operation, phase, finishedAt: at(secondsAgo) },
});
const told = (type: "ComparisonError" | "InvalidSpecError" | "DependencyWarning", secondsAgo = 0) => ({
  conditions: [{ type, message: "as it is", lastTransitionTime: at(secondsAgo) }],
});
const annotated = (annotations: Record<string, string>) => ({
  metadata: { name: "child", namespace: "argocd", annotations },
});
const byHand = { spec: { project: "default", source, destination } };

const facts: [name: string, app: Application, status: string | undefined][] = [
  ["what has deployed what it wants is as healthy as it says", child({}), "Healthy"],
  ["also that it is degraded", child({ health: { status: "Degraded" } }), "Degraded"],
  ["and that it is on its way", child({ health: { status: "Progressing" } }), "Progressing"],
  ["one that is synced by hand has none", child({ sync: newer }, byHand), undefined],
  [
    "nor has one that is left alone",
    child({}, annotated({ "argocd.argoproj.io/skip-reconcile": "true" })),
    undefined,
  ],
  ["nor one that waits for others", child({ sync: newer, ...told("DependencyWarning") }), undefined],
  ["one that nobody has looked at yet is on its way", child({}, { status: {} }), "Progressing"],
  [
    "so is one whose source is another now",
    child({}, { spec: { ...child({}).spec, source: { ...source, path: "other" } } }),
    "Progressing",
  ],
  ["one that is out of sync with a new commit", child({ sync: newer }), "Progressing"],
  [
    "one that is being synced",
    child(operation && { operationState: { ...operation, phase: "Running" } }),
    "Progressing",
  ],
  ["one that was told to sync", child({}, { operation: { sync: {} } }), "Progressing"],
  ["what was found before its sync ended says nothing", child(finished("Succeeded", 40)), "Progressing"],
  [
    "nor what may be of the same second",
    child({ sync: other, reconciledAt: at(1), ...finished("Succeeded", 1) }),
    "Progressing",
  ],
  ["one that drifted, and does not heal itself, is as healthy as it says", child({ sync: other }), "Healthy"],
  ["but not where nothing lives any more", child({ sync: other, health: { status: "Missing" } }), undefined],
  [
    "one whose sync has failed is degraded",
    child({ sync: other, reconciledAt: at(1), ...finished("Failed", 1) }),
    "Degraded",
  ],
  ["one that may not be as it is written is degraded", child(told("InvalidSpecError")), "Degraded"],
  [
    "one that cannot be compared is on its way for a while",
    child(told("ComparisonError", 200)),
    "Progressing",
  ],
  ["and degraded then", child(told("ComparisonError", 400)), "Degraded"],
];
for (const [name, app, status] of facts)
  test(name, () => assert.equal(childHealth({ child: app, project, nowMs })?.status, status));

test("one whose sync a window keeps away has none", () => {
  const syncWindows = [{ kind: "deny", schedule: "* * * * *", duration: "1h", applications: ["*"] }];
  const closed: AppProject = { ...project, spec: { syncWindows } };
  assert.equal(childHealth({ child: child({ sync: newer }), project: closed, nowMs }), undefined);
});
