import assert from "node:assert/strict";
import { test } from "node:test";
import { configMapText, sketchProject, untilApplication } from "@capstan/testkit";
import { configMapRef, readObject, untilObject, untilOperation } from "@capstan/testkit/worlds";
import {
  begin,
  judge,
  judgedText,
  limit,
  marks,
  placeIn,
  results,
  shareWorld,
  statusOf,
  sync,
  terminate,
} from "./place.ts";

const world = shareWorld();
const quick = (retries: number, more: object = {}) => ({
  retry: { limit: retries, backoff: { duration: "1s", factor: 1, maxDuration: "1s" }, ...more },
});

test("history holds deployments alone, with rising ids, and as many as the limit says", async () => {
  const files = { "app/one.yaml": configMapText("one"), "app/two.yaml": configMapText("two") };
  await using there = await placeIn(world())("history", files, { spec: { revisionHistoryLimit: 2 } });
  const ids = async () => ((await statusOf(there)).history ?? []).map(({ id }: { id: number }) => id);
  await sync(there, { dryRun: true });
  await sync(there, { resources: [{ group: "", kind: "ConfigMap", name: "two" }] });
  assert.deepEqual(await ids(), []);
  for (const expected of [[0], [0, 1], [1, 2]]) {
    assert.equal((await sync(there)).phase, "Succeeded");
    assert.deepEqual(await ids(), expected);
  }
});

test("a retry deploys the commit of its operation", async () => {
  const refused = { "app/one.yaml": configMapText("one", "1", { namespace: "nowhere" }) };
  await using there = await placeIn(world())("stays", refused);
  await begin(there, quick(2));
  await untilApplication(world().kube, "stays", ({ message }) => message.includes("nowhere"));
  await there.git.commit({ "app/one.yaml": configMapText("one") });
  const { phase, message } = await untilOperation(world(), "stays");
  assert.equal(phase, "Failed");
  assert.match(message, /nowhere.*retried 2 times/);
});

test("a retry that refreshes deploys the newest commit", async () => {
  const refused = { "app/one.yaml": configMapText("one", "1", { namespace: "nowhere" }) };
  await using there = await placeIn(world())("renewed", refused);
  await begin(there, quick(60, { refresh: true }));
  await untilApplication(world().kube, "renewed", ({ message }) => message.includes("nowhere"));
  const revision = await there.git.commit({ "app/one.yaml": configMapText("one") });
  assert.equal((await untilOperation(world(), "renewed")).phase, "Succeeded");
  assert.equal((await statusOf(there)).operationState.syncResult.revision, revision);
});

test("an operation that names no revision deploys the newest commit, before anybody has seen it", async () => {
  await using there = await placeIn(world())("newest", { "app/one.yaml": configMapText("one") });
  assert.equal((await sync(there)).phase, "Succeeded");
  const revision = await there.git.commit({ "app/one.yaml": configMapText("one", "2") });
  assert.equal((await sync(there)).phase, "Succeeded");
  assert.equal((await statusOf(there)).operationState.syncResult.revision, revision);
});

test("an operation that a window blocks waits, and can be ended", async () => {
  const syncWindows = [{ kind: "deny", schedule: "* * * * *", duration: "1h", applications: ["*"] }];
  await world().kube.create(sketchProject("closed", { syncWindows }), { signal: limit() });
  const files = { "app/one.yaml": configMapText("one") };
  await using there = await placeIn(world())("blocked", files, { spec: { project: "closed" } });
  await begin(there);
  await untilApplication(
    world().kube,
    "blocked",
    ({ phase, message }) => phase === "Running" && message.includes("blocked by sync window"),
  );
  await terminate(there);
  const { phase, message } = await untilOperation(world(), "blocked");
  assert.deepEqual([phase, message], ["Failed", "Operation terminated"]);
  assert.equal(await readObject(world(), configMapRef("blocked", "one")), undefined);
});

test("an object of another application fails a sync that says so", async () => {
  const shared = { ...marks({ "tracking-id": "another:/ConfigMap:shared/one" }), namespace: "shared" };
  await world().kube.create(
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "shared" } },
    { signal: limit() },
  );
  await world().kube.create(
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one", ...shared } },
    { signal: limit() },
  );
  await using there = await placeIn(world())("shared", { "app/one.yaml": configMapText("one") });
  const { phase, message } = await sync(there, { syncOptions: ["FailOnSharedResource=true"] });
  assert.equal(phase, "Failed");
  assert.match(message, /another/);
});

test("a Namespace of a later wave comes before what is in it, in its phase and wave", async () => {
  const namespace = { name: "early-in", ...marks({ "sync-wave": "5" }) };
  await using there = await placeIn(world())("early", {
    "app/namespace.yaml": JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: namespace }),
    "app/hook.yaml": judgedText("hook", "Healthy", { hook: "PreSync" }).replace(
      '"metadata":{',
      '"metadata":{"namespace":"early-in",',
    ),
    "app/one.yaml": configMapText("one", "1", { namespace: "early-in", ...marks({ "sync-wave": "1" }) }),
  });
  const { phase, message } = await sync(there);
  assert.equal(phase, "Succeeded", message);
  assert.deepEqual(await results(there), [
    "PreSync early Succeeded",
    "PreSync early-in Succeeded",
    "PreSync hook Succeeded",
    "Sync one Running",
  ]);
});

test("each wave waits for the health of the one before, the last one for nothing", async () => {
  await using there = await placeIn(world())("waved", {
    "app/first.yaml": judgedText("first", "Progressing"),
    "app/second.yaml": judgedText("second", "Progressing", { "sync-wave": "1" }),
  });
  await begin(there);
  await untilApplication(world().kube, "waved", ({ message }) => /healthy state of ConfigMap/.test(message));
  assert.equal(await readObject(world(), configMapRef("waved", "second")), undefined);
  await judge(there, "first", "Suspended");
  await judge(there, "first", "Healthy");
  const { phase, message } = await untilOperation(world(), "waved");
  assert.deepEqual([phase, message], ["Succeeded", "successfully synced (all tasks run)"]);
  assert.ok(await readObject(world(), configMapRef("waved", "second")));
});

test("a controller that starts in mid-sync goes on where the other stopped, at its commit", async () => {
  const files = (value: string) => ({
    "app/hook.yaml": judgedText("hook", "Progressing", { hook: "PreSync" }),
    "app/first.yaml": configMapText("first", value),
  });
  await using there = await placeIn(world())("resumed", files("1"));
  const revision = await there.git.git("rev-parse", "HEAD");
  await begin(there);
  await untilApplication(world().kube, "resumed", ({ message }) => /completion of hook/.test(message));
  const uid = async () => (await readObject(world(), configMapRef("resumed", "hook")))?.metadata.uid;
  const first = await uid();
  await there.git.commit(files("2"));
  await world().restartController();
  await judge(there, "hook", "Healthy");
  const { phase, message } = await untilOperation(world(), "resumed");
  assert.equal(phase, "Succeeded", message);
  assert.equal(await uid(), first);
  assert.equal((await statusOf(there)).operationState.syncResult.revision, revision);
  assert.deepEqual((await readObject(world(), configMapRef("resumed", "first")))?.data, { key: "1" });
});

test("what is Degraded in an earlier wave fails the sync, and its SyncFail hook runs", async () => {
  await using there = await placeIn(world())("degraded", {
    "app/first.yaml": judgedText("first", "Degraded"),
    "app/second.yaml": configMapText("second", "1", marks({ "sync-wave": "1" })),
    "app/rescue.yaml": judgedText("rescue", "Healthy", { hook: "SyncFail" }),
  });
  assert.equal((await sync(there)).phase, "Failed");
  assert.equal(await readObject(world(), configMapRef("degraded", "second")), undefined);
  assert.ok(await readObject(world(), configMapRef("degraded", "rescue")));
});

test("an object that goes while its wave is waited for ends the sync with an error", async () => {
  await using there = await placeIn(world())("missing", {
    "app/first.yaml": judgedText("first", "Progressing"),
    "app/second.yaml": configMapText("second", "1", marks({ "sync-wave": "1" })),
  });
  await begin(there);
  await untilApplication(world().kube, "missing", ({ message }) => /healthy state/.test(message));
  await world().kube.delete(configMapRef("missing", "first"), { signal: limit() });
  const { phase, message } = await untilOperation(world(), "missing");
  assert.equal(phase, "Error");
  assert.match(message, /is missing, it might have been deleted/);
});

test("objects tell their waves in the status", async () => {
  const files = {
    "app/one.yaml": configMapText("one", "1", marks({ "sync-wave": "-3" })),
    "app/two.yaml": configMapText("two", "1", { annotations: { "helm.sh/hook-weight": "7" } }),
  };
  await using there = await placeIn(world())("numbered", files);
  const { resources } = await statusOf(there);
  const waves = resources.map(({ name, syncWave }: { name: string; syncWave?: number }) => [name, syncWave]);
  assert.deepEqual(waves, [
    ["one", -3],
    ["two", 7],
  ]);
});

test("what the API server refuses keeps nothing else from being tried, and is told by name", async () => {
  const number = (name: string) =>
    JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { key: 1 } });
  await using there = await placeIn(world())("refused", {
    "app/bad.yaml": number("bad"),
    "app/worse.yaml": number("worse"),
  });
  const { phase, message } = await sync(there);
  assert.equal(phase, "Failed");
  assert.match(message, /bad.*worse/s);
  await untilObject(world(), configMapRef("refused", "bad"), (object) => object === undefined);
});
