import assert from "node:assert/strict";
import { test } from "node:test";
import { withHealthCause } from "./health-cause.ts";
import { healthRank, problemOf, stateRank, syncRank } from "./state-order.ts";

const app = {
  apiVersion: "argoproj.io/v1alpha1",
  kind: "Application",
  metadata: { name: "web" },
  spec: { project: "default", destination: {} },
};

test("the worst stands first, and what failed between what is broken and what is on its way", () => {
  const states = [
    { health: "Degraded", sync: "OutOfSync", problem: "" },
    { health: "Degraded", sync: "Synced", problem: "failed" },
    { health: "Missing", sync: "Synced", problem: "" },
    { health: "Healthy", sync: "OutOfSync", problem: "failed" },
    { health: undefined, sync: undefined, problem: "" },
    { health: "Progressing", sync: "OutOfSync", problem: "" },
    { health: "Healthy", sync: "OutOfSync", problem: "" },
    { health: "Healthy", sync: "Synced", problem: "" },
  ];
  assert.deepEqual(
    states.toReversed().sort((left, right) => stateRank(left) - stateRank(right)),
    states,
  );
});

test("what is no status counts as unknown", () => {
  assert.equal(healthRank("Fine"), healthRank("Unknown"));
  assert.equal(syncRank(undefined), syncRank("Unknown"));
});

test("a problem is an error's condition, else what a sync failed with", () => {
  const operation = { operation: {}, startedAt: "2026-01-01T00:00:00Z" };
  const failed = { ...operation, phase: "Failed" as const, message: "field is immutable" };
  const status = { operationState: failed };
  assert.equal(problemOf({ ...app, status }), "field is immutable");
  const conditions = [
    { type: "SharedResourceWarning", message: "shared" },
    { type: "ComparisonError", message: "cannot render" },
  ];
  assert.equal(problemOf({ ...app, status: { ...status, conditions } }), "cannot render");
  const succeeded = { ...operation, phase: "Succeeded" as const, message: "done" };
  assert.equal(problemOf({ ...app, status: { operationState: succeeded } }), "");
});

test("a sync that is tried again and a Pod that does not come up are problems, a rollout is none", () => {
  const waiting = {
    operation: {},
    phase: "Running" as const,
    startedAt: "2026-01-01T00:00:00Z",
    finishedAt: "2026-01-01T00:00:01Z",
    message: "field is immutable. Retrying attempt #1 at 2026-01-01T00:00:06Z.",
  };
  assert.equal(problemOf({ ...app, status: { operationState: waiting } }), "field is immutable");
  const { finishedAt: _, ...again } = { ...waiting, message: "", retryCount: 1 };
  assert.notEqual(problemOf({ ...app, status: { operationState: again } }), "");
  const progressing = (cause: string) =>
    problemOf({
      ...app,
      status: {
        health: { status: "Progressing", message: withHealthCause("Caused by Deployment:a/b", cause) },
      },
    });
  assert.equal(progressing("CrashLoopBackOff: b-7d-x"), "CrashLoopBackOff: b-7d-x");
  assert.equal(progressing("Deployment b: waiting for rollout"), "");
});
