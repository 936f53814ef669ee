import assert from "node:assert/strict";
import { test } from "node:test";
import type { Application } from "@capstan/model";
import { describeWait } from "./describe-wait.ts";

const application = (status: Application["status"]): Application => ({
  apiVersion: "argoproj.io/v1alpha1",
  kind: "Application",
  metadata: { name: "web" },
  spec: { project: "default", destination: { name: "in-cluster", namespace: "web" } },
  ...(status ? { status } : {}),
});

test("an operation that waits says for what", () => {
  const text = describeWait(
    "web",
    application({
      operationState: {
        phase: "Running",
        message: "waiting for pruning confirmation of ConfigMap web/one",
        startedAt: "2026-01-01T00:00:00Z",
        operation: { sync: {} },
      },
      sync: { status: "OutOfSync" },
      health: { status: "Healthy" },
    }),
  );
  assert.equal(
    text,
    "web: its operation is Running, waiting for pruning confirmation of ConfigMap web/one; it is OutOfSync and Healthy",
  );
});

test("objects that are not as they should be are named, the first of many", () => {
  const resources = ["a", "b", "c", "d", "e"].map((name) => ({
    kind: "Deployment",
    namespace: "web",
    name,
    status: "Synced" as const,
    health: { status: "Progressing" as const, message: "0 of 1 ready" },
  }));
  const text = describeWait("web", application({ sync: { status: "Synced" }, resources }));
  assert.match(text, /Deployment web\/a is Progressing, 0 of 1 ready; Deployment web\/b/);
  assert.match(text, /Deployment web\/c [^;]*; and 2 more$/);
});

test("nothing that was told is said too", () => {
  assert.equal(describeWait("web", undefined), "web: the server has told nothing of it yet");
});
