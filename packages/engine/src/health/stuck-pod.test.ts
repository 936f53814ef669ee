import assert from "node:assert/strict";
import { test } from "node:test";
import type { Manifest } from "@capstan/model";
import { stuckReason } from "./stuck-pod.ts";

function pod(container: object, { ready = false, restartPolicy = "Always" } = {}): Manifest {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "a" },
    spec: { restartPolicy },
    status: {
      phase: "Running",
      conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
      containerStatuses: [{ name: "main", ready, ...container }],
    },
  };
}

const crashed = { terminated: { exitCode: 1, reason: "Error" } };

test("a Pod is stuck through the whole loop: waiting, running again, and ended again", () => {
  for (const [container, reason] of [
    [{ state: { waiting: { reason: "CrashLoopBackOff" } } }, "CrashLoopBackOff"],
    [{ state: { waiting: { reason: "ErrImagePull" } } }, "ErrImagePull"],
    [{ state: { running: {} }, lastState: crashed, restartCount: 3 }, "CrashLoopBackOff"],
    [{ state: crashed, restartCount: 1 }, "CrashLoopBackOff"],
    [{ state: { waiting: { reason: "ContainerCreating" } } }, ""],
    [{ state: { running: {} }, lastState: crashed, restartCount: 1 }, ""],
    [{ state: { running: {} } }, ""],
  ] as const)
    assert.equal(stuckReason(pod(container)), reason);
});

test("a Pod that is ready, or never restarts, loops no more", () => {
  const once = { state: { running: {} }, lastState: crashed, restartCount: 9 };
  assert.equal(stuckReason(pod(once, { ready: true })), "");
  assert.equal(stuckReason(pod(once, { restartPolicy: "Never" })), "");
});
