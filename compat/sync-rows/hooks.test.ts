import assert from "node:assert/strict";
import { test } from "node:test";
import { configMapText, jobText, untilApplication } from "@capstan/testkit";
import { configMapRef, readObject, untilObject, untilOperation } from "@capstan/testkit/worlds";
import {
  begin,
  judge,
  judgedText,
  placeIn,
  results,
  shareWorld,
  statusOf,
  sync,
  terminate,
} from "./place.ts";

const world = shareWorld();
const one = { "app/one.yaml": configMapText("one") };

test("a hook of two types runs in both phases, with one name in each", async () => {
  const twice = { apiVersion: "v1", kind: "ConfigMap" };
  const metadata = {
    generateName: "twice-",
    annotations: { "argocd.argoproj.io/hook": "PreSync,PostSync" },
  };
  await using there = await placeIn(world())("two-types", {
    ...one,
    "app/twice.yaml": JSON.stringify({ ...twice, metadata }),
  });
  const { phase, message } = await sync(there);
  assert.equal(phase, "Succeeded", message);
  const { operationState } = await statusOf(there);
  const seconds = Date.parse(operationState.startedAt) / 1000;
  const revision = operationState.syncResult.revision.slice(0, 7);
  assert.deepEqual(await results(there), [
    "PreSync two-types Succeeded",
    `PreSync twice-${revision}-presync-${seconds} Succeeded`,
    "Sync one Succeeded",
    `PostSync twice-${revision}-postsync-${seconds} Succeeded`,
  ]);
});

for (const [what, asked] of [
  ["the strategy apply", { syncStrategy: { apply: {} } }],
  ["chosen resources", { resources: [{ group: "", kind: "ConfigMap", name: "one" }] }],
] as const)
  test(`no hook runs with ${what}`, async () => {
    const name = `without-${Object.keys(asked)[0]?.toLowerCase()}`;
    await using there = await placeIn(world())(name, {
      ...one,
      "app/hook.yaml": judgedText("hook", "Healthy", { hook: "PreSync" }),
    });
    assert.equal((await sync(there, asked)).phase, "Succeeded");
    assert.equal(await readObject(world(), configMapRef(name, "hook")), undefined);
  });

test("hooks run where only what is out of sync is applied", async () => {
  await using there = await placeIn(world())("only-other", {
    ...one,
    "app/hook.yaml": judgedText("hook", "Healthy", { hook: "PreSync" }),
  });
  const syncOptions = ["CreateNamespace=true", "ApplyOutOfSyncOnly=true"];
  await sync(there, { syncOptions });
  await sync(there, { syncOptions });
  assert.deepEqual(await results(there), ["PreSync hook Succeeded"]);
});

test("a hook is waited for while it is Progressing or Suspended, and holds its finalizer so long", async () => {
  await using there = await placeIn(world())("running", {
    ...one,
    "app/hook.yaml": judgedText("hook", "Progressing", { hook: "PreSync" }),
  });
  const hook = configMapRef("running", "hook");
  await begin(there);
  await untilApplication(world().kube, "running", ({ message }) => /completion of hook/.test(message));
  assert.deepEqual((await readObject(world(), hook))?.metadata.finalizers, [
    "argocd.argoproj.io/hook-finalizer",
  ]);
  await judge(there, "hook", "Suspended");
  await world().controller.idle();
  assert.equal((await statusOf(there)).operationState.phase, "Running");
  await judge(there, "hook", "Healthy");
  assert.equal((await untilOperation(world(), "running")).phase, "Succeeded");
  await untilObject(world(), hook, (object) => (object?.metadata.finalizers ?? []).length === 0);
});

for (const verdict of ["Degraded", "Unknown"])
  test(`a hook that is ${verdict} has failed: what says HookFailed goes, and SyncFail runs`, async () => {
    const name = `failed-${verdict.toLowerCase()}`;
    await using there = await placeIn(world())(name, {
      ...one,
      "app/hook.yaml": judgedText("hook", verdict, { hook: "PreSync", "hook-delete-policy": "HookFailed" }),
      "app/early.yaml": judgedText("early", "Healthy", {
        hook: "PreSync",
        "sync-wave": "-1",
        "hook-delete-policy": "HookSucceeded",
      }),
      "app/rescue.yaml": judgedText("rescue", "Healthy", { hook: "SyncFail" }),
    });
    assert.equal((await sync(there)).phase, "Failed");
    assert.equal(await readObject(world(), configMapRef(name, "one")), undefined);
    assert.ok(await readObject(world(), configMapRef(name, "rescue")));
    assert.ok(await readObject(world(), configMapRef(name, "early")));
    await untilObject(world(), configMapRef(name, "hook"), (object) => object === undefined);
  });

test("HookSucceeded takes a hook away at the end of the sync, not before", async () => {
  await using there = await placeIn(world())("at-the-end", {
    "app/hook.yaml": judgedText("hook", "Healthy", {
      hook: "PreSync",
      "hook-delete-policy": "HookSucceeded",
    }),
    "app/after.yaml": judgedText("after", "Progressing", { hook: "PostSync" }),
  });
  await begin(there);
  await untilApplication(world().kube, "at-the-end", ({ message }) => /hook ConfigMap.*after/.test(message));
  assert.ok(await readObject(world(), configMapRef("at-the-end", "hook")));
  await judge(there, "after", "Healthy");
  assert.equal((await untilOperation(world(), "at-the-end")).phase, "Succeeded");
  await untilObject(world(), configMapRef("at-the-end", "hook"), (object) => object === undefined);
});

test("a hook of before goes before it is made again", async () => {
  await using there = await placeIn(world())("again", {
    "app/hook.yaml": judgedText("hook", "Healthy", { hook: "PreSync" }),
  });
  const hook = configMapRef("again", "hook");
  await sync(there);
  const first = (await readObject(world(), hook))?.metadata.uid;
  assert.equal((await sync(there)).phase, "Succeeded");
  assert.notEqual((await readObject(world(), hook))?.metadata.uid, first);
});

test("after a failure the operation goes on as long as a hook runs", async () => {
  await using there = await placeIn(world())("outlives", {
    "app/bad.yaml": judgedText("bad", "Degraded", { hook: "PreSync" }),
    "app/long.yaml": judgedText("long", "Progressing", { hook: "PreSync" }),
  });
  await begin(there);
  await untilApplication(
    world().kube,
    "outlives",
    ({ phase, message }) => phase === "Running" && /hook ConfigMap.*long/.test(message),
  );
  await judge(there, "long", "Healthy");
  const { phase, message } = await untilOperation(world(), "outlives");
  assert.equal(phase, "Failed");
  assert.match(message, /bad/);
});

test("a SyncFail hook that fails as well adds its reason", async () => {
  await using there = await placeIn(world())("both-fail", {
    "app/bad.yaml": judgedText("bad", "Degraded", { hook: "PreSync" }),
    "app/rescue.yaml": judgedText("rescue", "Degraded", { hook: "SyncFail" }),
  });
  const { phase, message } = await sync(there);
  assert.equal(phase, "Failed");
  assert.match(message, /bad.*rescue/);
});

test("ending a sync takes running hooks away and keeps what is complete", async () => {
  await using there = await placeIn(world())("ended", {
    "app/early.yaml": judgedText("early", "Healthy", { hook: "PreSync", "sync-wave": "-1" }),
    "app/long.yaml": judgedText("long", "Progressing", { hook: "PreSync" }),
    ...one,
  });
  await begin(there);
  await untilApplication(world().kube, "ended", ({ message }) => /hook ConfigMap.*long/.test(message));
  await terminate(there);
  const { phase, message } = await untilOperation(world(), "ended");
  assert.deepEqual([phase, message], ["Failed", "Operation terminated"]);
  await untilObject(world(), configMapRef("ended", "long"), (object) => object === undefined);
  assert.ok(await readObject(world(), configMapRef("ended", "early")));
  assert.ok((await results(there)).includes("PreSync early Succeeded"));
});

test("hooks of Helm have Argo CD's phases and policies", async () => {
  const helm = (name: string, hook: string, policy?: string) =>
    JSON.stringify({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        name,
        annotations: {
          "helm.sh/hook": hook,
          ...(policy ? { "helm.sh/hook-delete-policy": policy } : {}),
        },
      },
    });
  await using there = await placeIn(world())("of-helm", {
    "app/before.yaml": helm("before", "pre-install,pre-upgrade"),
    "app/after.yaml": helm("after", "post-upgrade", "hook-succeeded"),
    "app/crd.yaml": helm("crd", "crd-install"),
    "app/tested.yaml": helm("tested", "test"),
    "app/going.yaml": helm("going", "post-delete"),
  });
  await sync(there);
  assert.deepEqual(await results(there), [
    "PreSync of-helm Succeeded",
    "PreSync before Succeeded",
    "Sync crd Succeeded",
    "PostSync after Succeeded",
  ]);
  await untilObject(world(), configMapRef("of-helm", "after"), (object) => object === undefined);
});

test("a Job as a hook is done when it is complete", async () => {
  await using there = await placeIn(world())("by-job", {
    ...one,
    "app/job.yaml": jobText("job", "true", { annotations: { "argocd.argoproj.io/hook": "PreSync" } }),
  });
  assert.equal((await sync(there)).phase, "Succeeded");
  assert.ok((await results(there)).includes("PreSync job Succeeded"));
});
