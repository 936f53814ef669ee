import assert from "node:assert/strict";
import { test } from "node:test";
import type { Operation, OperationState } from "@capstan/model";
import { type ApplicationView, configMapText, untilApplication } from "@capstan/testkit";
import { applicationRef, configMapRef, refresh, untilObject } from "@capstan/testkit/worlds";
import { change, limit, type Place, type PlaceOptions, placeIn, shareWorld, statusOf } from "./place.ts";

const world = shareWorld();
const until = (name: string, isSo: (view: ApplicationView) => boolean) =>
  untilApplication(world().kube, name, isSo);
const isDone = ({ phase, sync }: ApplicationView) => phase === "Succeeded" && sync === "Synced";
const syncOptions = ["CreateNamespace=true", "PruneLast=true"];
const automated = (fields: object = {}, more: object = {}): PlaceOptions => ({
  spec: { syncPolicy: { automated: fields, syncOptions, ...more } },
});
const bad = JSON.stringify({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "bad" },
  data: { key: 1 },
});

async function operationOf(there: Place): Promise<OperationState & { operation: Operation }> {
  return (await statusOf(there)).operationState;
}

/** It was looked at since, and what came of it is written. */
async function refreshed({ name }: Place): Promise<void> {
  await refresh(world(), name);
  await untilObject(
    world(),
    applicationRef(name),
    (app) => app?.metadata.annotations?.["argocd.argoproj.io/refresh"] === undefined,
  );
  await world().controller.idle();
}

test("automation asks for the compared commit, with the policy's options, retried five times", async () => {
  await using there = await placeIn(world())(
    "asked-by-itself",
    { "app/one.yaml": configMapText("one") },
    automated(),
  );
  const { revision } = await until("asked-by-itself", isDone);
  const { operation } = await operationOf(there);
  assert.equal(operation.sync?.revision, revision);
  assert.deepEqual(operation.sync?.syncOptions, syncOptions);
  assert.equal(operation.retry?.limit, 5);
  assert.equal(operation.initiatedBy?.automated, true);
});

test("automation leaves alone what only lacks a prune that it may not do", async () => {
  const files = { "app/one.yaml": configMapText("one"), "app/two.yaml": configMapText("two") };
  await using there = await placeIn(world())("unpruned", files, automated());
  await until("unpruned", isDone);
  const before = await operationOf(there);
  const revision = await there.git.commit({ "app/two.yaml": undefined });
  await refreshed(there);
  await until("unpruned", (view) => view.sync === "OutOfSync" && view.revision === revision);
  await refreshed(there);
  assert.deepEqual(await operationOf(there), before);
});

test("what failed is told and not tried again, until the commit or the source is another one", async () => {
  const files = { "app/bad.yaml": bad, "other/bad.yaml": bad, "other/one.yaml": configMapText("one") };
  const name = "failed-by-itself";
  await using there = await placeIn(world())(name, files, automated({}, { retry: { limit: 0 } }));
  const isTold = ({ conditions }: ApplicationView) =>
    conditions.some(
      ({ type, message }) => type === "SyncError" && message.startsWith("Failed last sync attempt"),
    );
  await until(name, isTold);
  const first = await operationOf(there);
  await refreshed(there);
  assert.deepEqual(await operationOf(there), first);
  await change(world(), name, { spec: { source: { path: "other" } } });
  const isOfOther = async () => Object((await operationOf(there)).syncResult?.source).path === "other";
  await until(name, isTold);
  await untilObject(world(), applicationRef(name), (app) => {
    const { operationState } = Object(app?.status);
    return Object(operationState?.syncResult?.source).path === "other" && operationState.phase === "Failed";
  });
  assert.ok(await isOfOther());
  await there.git.commit({ "other/bad.yaml": undefined });
  await refreshed(there);
  await until(name, isDone);
});

test("self-heal brings back what drifted, each time later, and counts how often", async () => {
  const name = "healed";
  const files = { "app/one.yaml": configMapText("one", "git") };
  await using there = await placeIn(world())(name, files, automated({ selfHeal: true }));
  await until(name, isDone);
  for (const attempts of [1, 2]) {
    const body = { data: { key: `drift ${attempts}` } };
    await world().kube.patch(configMapRef(name, "one"), { type: "merge", body }, { signal: limit() });
    await untilObject(world(), applicationRef(name), (app) => {
      const { operationState } = Object(app?.status);
      return (
        operationState?.operation?.sync?.autoHealAttemptsCount === attempts &&
        operationState.phase === "Succeeded"
      );
    });
    await untilObject(world(), configMapRef(name, "one"), (live) => Object(live?.data).key === "git");
  }
  const { operation } = await operationOf(there);
  assert.deepEqual(
    operation.sync?.resources?.map((one) => one.name),
    ["one"],
  );
});
