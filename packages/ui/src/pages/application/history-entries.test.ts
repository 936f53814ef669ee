import assert from "node:assert/strict";
import { test } from "node:test";
import type { Application } from "@capstan/model";
import type { OperationRecord } from "@capstan/wire";
import { historyEntries } from "./history-entries.ts";

const at = (minute: number) => `2026-11-23T10:0${minute}:00Z`;

function record(id: number, more: Partial<OperationRecord> = {}): OperationRecord {
  return {
    id: String(id),
    startedAt: at(id),
    finishedAt: at(id),
    phase: "Succeeded",
    message: "",
    attempt: 0,
    dryRun: false,
    initiatedBy: { username: "ada" },
    revisions: ["a"],
    sources: [],
    images: { before: [], after: [] },
    changes: [],
    leftOut: 0,
    textsHidden: false,
    ...more,
  };
}

test("operations, failed ones too, stand with the deployments from before them, the newest first", () => {
  const deployment = (id: number) => ({ id, revision: "a", deployStartedAt: at(id), deployedAt: at(id) });
  const app: Application = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name: "web" },
    spec: { project: "default", destination: {} },
    status: { history: [deployment(1), deployment(2), deployment(4)] },
  };
  const records = [record(5, { phase: "Failed" }), record(4), record(3, { dryRun: true }), record(2)];
  assert.deepEqual(
    historyEntries(app, records).map(({ key, phase, deployment: one, isCurrent }) => [
      key,
      phase,
      one?.id,
      isCurrent,
    ]),
    [
      ["r5", "Failed", undefined, false],
      ["r4", "Succeeded", 4, true],
      ["r3", "Succeeded", undefined, false],
      ["r2", "Succeeded", 2, false],
      ["d1", "Succeeded", 1, false],
    ],
  );
});

test("two that began in the same second are each told with what it deployed", () => {
  const deployment = (id: number, revision: string) => ({
    ...{ id, revision },
    deployStartedAt: at(1),
    deployedAt: at(1),
  });
  const app: Application = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name: "web" },
    spec: { project: "default", destination: {} },
    status: { history: [deployment(1, "a"), deployment(2, "b")] },
  };
  const records = [record(2, { startedAt: at(1), revisions: ["b"] }), record(1)];
  assert.deepEqual(
    historyEntries(app, records).map(({ key, deployment: one, isCurrent }) => [key, one?.id, isCurrent]),
    [
      ["r2", 2, true],
      ["r1", 1, false],
    ],
  );
});
