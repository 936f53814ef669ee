import assert from "node:assert/strict";
import { test } from "node:test";
import type { Application } from "./application.ts";
import { isSyncFailing, operationStanding } from "./operation-standing.ts";
import type { OperationState } from "./status.ts";

function app(state?: Partial<OperationState>, isAsked = false): Application {
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name: "web" },
    spec: { project: "default", destination: {} },
    ...(isAsked ? { operation: {} } : {}),
    ...(state
      ? {
          status: {
            operationState: {
              operation: { retry: { limit: 5 } },
              phase: "Running",
              startedAt: "2026-11-23T10:00:00Z",
              ...state,
            },
          },
        }
      : {}),
  };
}

test("a sync that has failed and waits for its next attempt is told as that", () => {
  const waiting = app({
    message: "one or more objects failed to apply. Retrying attempt #2 at 2026-11-23T10:00:12Z.",
    finishedAt: "2026-11-23T10:00:02Z",
    retryCount: 1,
  });
  assert.deepEqual(operationStanding(waiting), {
    kind: "retrying",
    message: "one or more objects failed to apply",
    attempt: { number: 2, limit: 5 },
    at: "2026-11-23T10:00:12Z",
  });
  const again = app({ message: "", retryCount: 2 });
  assert.deepEqual(operationStanding(again), {
    kind: "running",
    message: "",
    attempt: { number: 2, limit: 5 },
  });
  const endless = app({ retryCount: 7, operation: { retry: { limit: -1 } } });
  assert.deepEqual(operationStanding(endless), {
    kind: "running",
    message: "",
    attempt: { number: 7, limit: undefined },
  });
  for (const failing of [waiting, again, endless, app({ phase: "Failed" }), app({ phase: "Error" })])
    assert.equal(isSyncFailing(failing), true);
});

test("what only goes on, has succeeded or is asked for does not fail", () => {
  for (const [one, kind] of [
    [app(), "none"],
    [app(undefined, true), "asked"],
    [app({ phase: "Failed" }, true), "asked"],
    [app({}), "running"],
    [app({ phase: "Terminating" }), "running"],
    [app({ phase: "Succeeded" }), "succeeded"],
  ] as const) {
    assert.equal(operationStanding(one).kind, kind);
    assert.equal(isSyncFailing(one), false);
  }
});
