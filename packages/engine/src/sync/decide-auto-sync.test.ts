import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTime } from "@capstan/formats";
import type { Application, ApplicationStatus, OperationState, SyncPolicy } from "@capstan/model";
import { type AutoSyncDecision, decideAutoSync } from "./decide-auto-sync.ts";

const source = { repoURL: "https://example.com/shop", path: "." };
const drifted = {
  group: "apps",
  kind: "Deployment",
  namespace: "shop",
  name: "web",
  status: "OutOfSync",
} as const;

function app(
  policy: SyncPolicy,
  status: Partial<ApplicationStatus> = {},
  extra: Partial<Application> = {},
): Application {
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name: "shop" },
    spec: { project: "default", source, destination: { name: "in-cluster" }, syncPolicy: policy },
    status: {
      sync: { status: "OutOfSync", revision: "abc", comparedTo: { source, destination: {} } },
      resources: [drifted],
      ...status,
    },
    ...extra,
  };
}

const nowMs = parseTime("2026-01-01T00:10:00Z") ?? 0;
const attempt = (phase: OperationState["phase"], extra: Partial<OperationState> = {}): OperationState => ({
  operation: { sync: {} },
  phase,
  startedAt: "2026-01-01T00:00:00Z",
  finishedAt: "2026-01-01T00:09:59Z",
  message: "it went wrong",
  syncResult: { revision: "abc", source },
  ...extra,
});

const automated = { automated: {} };
const healing = { automated: { selfHeal: true } };

const decide = (application: Application): AutoSyncDecision => decideAutoSync({ app: application, nowMs });

const refusals: [string, Application, RegExp][] = [
  ["no policy", app({}), /off/],
  ["switched off", app({ automated: { enabled: false } }), /off/],
  ["an operation is in progress", app(automated, {}, { operation: {} }), /in progress/],
  [
    "being deleted",
    app(automated, {}, { metadata: { name: "shop", deletionTimestamp: "2026-01-01T00:00:00Z" } }),
    /deleted/,
  ],
  ["in sync", app(automated, { sync: { status: "Synced" } }), /Synced/],
  [
    "only prunes are needed and pruning is off",
    app(automated, { resources: [{ ...drifted, requiresPruning: true }] }),
    /pruning is off/,
  ],
  [
    "synced already, without self-heal",
    app(automated, { operationState: attempt("Succeeded") }),
    /self-heal is off/,
  ],
];
for (const [fact, application, because] of refusals) {
  test(`no sync: ${fact}`, () => {
    const decision = decide(application);
    assert.equal(decision.kind, "none");
    assert.match(decision.kind === "none" ? decision.because : "", because);
  });
}

test("a sync is pinned to the compared revision and the sources, with the policy's options and five retries", () => {
  const decision = decide(app({ automated: { prune: true }, syncOptions: ["CreateNamespace=true"] }));
  assert.deepEqual(decision.kind === "sync" && decision.operation, {
    sync: {
      source: { path: ".", repoURL: "https://example.com/shop" },
      revision: "abc",
      prune: true,
      syncOptions: ["CreateNamespace=true"],
    },
    initiatedBy: { automated: true },
    retry: { limit: 5 },
  });
});

test("a failed attempt at the same revision is not repeated, and told as an error", () => {
  const decision = decide(app(automated, { operationState: attempt("Failed") }));
  assert.equal(decision.kind, "error");
  assert.match(
    decision.kind === "error" ? decision.message : "",
    /Failed last sync attempt to \[abc\]: it went wrong/,
  );
});

test("another revision is tried after a failure", () => {
  const operationState = attempt("Failed", { syncResult: { revision: "old", source } });
  assert.equal(decide(app(automated, { operationState })).kind, "sync");
});

test("another source is tried after a failure", () => {
  const operationState = attempt("Failed", {
    syncResult: { revision: "abc", source: { ...source, path: "b" } },
  });
  assert.equal(decide(app(automated, { operationState })).kind, "sync");
});

test("what broke before anything was applied is tried again, each time later; what was ended is not", () => {
  const { syncResult: _, ...unapplied } = attempt("Error");
  const broken = (attempts: number) => {
    const operation = { sync: { autoHealAttemptsCount: attempts } };
    return decide(app(automated, { operationState: { ...unapplied, operation } }));
  };
  const first = broken(0);
  assert.equal(first.kind === "sync" && first.operation.sync?.autoHealAttemptsCount, 1);
  assert.equal(first.kind === "sync" && first.operation.sync?.resources, undefined);
  const third = broken(2);
  assert.equal(third.kind === "later" && third.retryAfterMs, 5000);
  const ended: OperationState = { ...unapplied, phase: "Failed", message: "Operation terminated" };
  assert.equal(decide(app(automated, { operationState: ended })).kind, "error");
});

test("a new revision that changes nothing for the application counts as attempted", () => {
  const operationState = attempt("Failed", { syncResult: { revision: "old", source } });
  const decision = decideAutoSync({ app: app(automated, { operationState }), nowMs, revisionMatters: false });
  assert.equal(decision.kind, "error");
});

test("self-heal syncs only what drifted and counts its attempts", () => {
  const decision = decide(app(healing, { operationState: attempt("Succeeded") }));
  assert.deepEqual(decision.kind === "sync" && decision.operation.sync?.resources, [
    { group: "apps", kind: "Deployment", name: "web" },
  ]);
  assert.equal(decision.kind === "sync" && decision.operation.sync?.autoHealAttemptsCount, 1);
});

test("self-heal backs off after its first attempt", () => {
  const operationState = attempt("Succeeded", { operation: { sync: { autoHealAttemptsCount: 2 } } });
  const decision = decide(app(healing, { operationState }));
  assert.deepEqual(decision.kind === "later" && decision.retryAfterMs, 5000);
});

const emptied = { resources: [{ ...drifted, requiresPruning: true }] };

test("an empty render does not prune everything", () => {
  const decision = decide(app({ automated: { prune: true } }, emptied));
  assert.match(decision.kind === "error" ? decision.message : "", /will wipe out all resources/);
});

test("an empty render prunes everything when allowEmpty says so", () => {
  assert.equal(decide(app({ automated: { prune: true, allowEmpty: true } }, emptied)).kind, "sync");
});

test("a hook that is left does not make an empty render harmless", () => {
  const hook = { kind: "Job", version: "v1", group: "batch", name: "migrate", namespace: "web", hook: true };
  const resources = [...(emptied.resources ?? []), hook];
  assert.equal(decide(app({ automated: { prune: true } }, { ...emptied, resources })).kind, "error");
});

const surplus = { ...drifted, requiresPruning: true };
const pruning = { automated: { prune: true } };

test("what is held alone starts no sync, and self-heal does not try it over and over", () => {
  const synced = {
    operationState: attempt("Succeeded"),
    resources: [surplus, { ...drifted, status: "Synced" as const }],
  };
  const healed = app({ automated: { prune: true, selfHeal: true } }, synced);
  assert.equal(decideAutoSync({ app: healed, nowMs }).kind, "sync");
  assert.equal(decideAutoSync({ app: healed, nowMs, prunes: "held" }).kind, "none");
});

test("a held prune does not keep the rest from being synced", () => {
  const both = app(pruning, { resources: [surplus, drifted] });
  assert.equal(decideAutoSync({ app: both, nowMs, prunes: "held" }).kind, "sync");
});

test("what was allowed is synced although this revision was synced already, later each time", () => {
  const resources = [surplus, { ...drifted, status: "Synced" as const }];
  const before = app(pruning, { operationState: attempt("Succeeded"), resources });
  assert.equal(decideAutoSync({ app: before, nowMs }).kind, "none");
  const decision = decideAutoSync({ app: before, nowMs: nowMs + 10_000, prunes: "allowed" });
  if (decision.kind !== "sync") throw new Error(decision.kind);
  assert.equal(decision.operation.sync?.prune, true);
  assert.equal(decision.operation.sync?.resources, undefined);
  const tried = attempt("Failed", { operation: { sync: { autoHealAttemptsCount: 3 } } });
  const failed = app(pruning, { operationState: tried, resources });
  assert.equal(decideAutoSync({ app: failed, nowMs, prunes: "allowed" }).kind, "later");
});

test("an empty render wipes out nothing until allowEmpty, or a consent to that very render", () => {
  const empty = app(pruning, { resources: [surplus, { ...surplus, name: "other" }] });
  assert.equal(decideAutoSync({ app: empty, nowMs }).kind, "error");
  assert.equal(decideAutoSync({ app: empty, nowMs, prunes: "held" }).kind, "error");
  assert.equal(decideAutoSync({ app: empty, nowMs, prunes: "allowed" }).kind, "sync");
});

test("without automated pruning a consent waits for a sync by hand", () => {
  const manual = app(
    { automated: {} },
    { operationState: attempt("Succeeded"), resources: [surplus, drifted] },
  );
  assert.equal(decideAutoSync({ app: manual, nowMs, prunes: "allowed" }).kind, "none");
});
