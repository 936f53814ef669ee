import assert from "node:assert/strict";
import { test } from "node:test";
import { configMapText, untilApplication } from "@capstan/testkit";
import {
  applicationRef,
  configMapRef,
  readObject,
  refresh,
  untilObject,
  untilOperation,
} from "@capstan/testkit/worlds";
import {
  begin,
  change,
  deletionsSince,
  judge,
  judgedText,
  limit,
  marks,
  type Place,
  placeIn,
  shareWorld,
  statusOf,
  sync,
} from "./place.ts";

const world = shareWorld();
const cascade = "resources-finalizer.argocd.argoproj.io";
const kept = { "app/kept.yaml": configMapText("kept") };
const keptToo = { ...kept, "app/other.yaml": configMapText("other") };

/** Two objects stay, so that what goes is within the prune budget of any application. */
async function synced(name: string, files: Record<string, string>): Promise<Place> {
  const there = await placeIn(world())(name, { ...keptToo, ...files });
  assert.equal((await sync(there)).phase, "Succeeded");
  const gone = Object.fromEntries(Object.keys(files).map((path) => [path, undefined]));
  const revision = await there.git.commit(gone);
  await refresh(world(), name);
  await untilApplication(world().kube, name, (view) => view.revision === revision);
  return there;
}

const approve = (name: string) =>
  change(world(), name, {
    metadata: {
      annotations: { "argocd.argoproj.io/deletion-approved": new Date(Date.now() + 1000).toISOString() },
    },
  });

async function deleteApplication(name: string): Promise<void> {
  await world().kube.delete(applicationRef(name), { signal: limit() });
}
const gone = (name: string) => untilObject(world(), applicationRef(name), (app) => app === undefined);

test("without prune what left git stays, and the result says why", async () => {
  await using there = await synced("unpruned", {
    "app/plain.yaml": configMapText("plain"),
    "app/never.yaml": configMapText("never", "1", marks({ "sync-options": "Prune=false" })),
  });
  await sync(there);
  const told = async () => {
    const { operationState } = await statusOf(there);
    const rows: { name: string; status: string; message: string }[] = operationState.syncResult.resources;
    return rows.filter(({ status }) => status.startsWith("Prune")).map((row) => `${row.name} ${row.message}`);
  };
  const both = ["never ignored (requires pruning)", "plain ignored (requires pruning)"];
  assert.deepEqual((await told()).sort(), both);
  await sync(there, { prune: true });
  assert.deepEqual((await told()).sort(), ["never ignored (no prune)", "plain pruned"]);
});

test("Helm's keep holds no prune", async () => {
  await using there = await synced("helm-keep", {
    "app/gone.yaml": configMapText("gone", "1", { annotations: { "helm.sh/resource-policy": "keep" } }),
  });
  await sync(there, { prune: true });
  await untilObject(world(), configMapRef("helm-keep", "gone"), (object) => object === undefined);
});

for (const [option, policy] of [
  [undefined, "Foreground"],
  ["PrunePropagationPolicy=background", "Background"],
  ["PrunePropagationPolicy=orphan", "Orphan"],
] as const)
  test(`a prune deletes with ${policy} propagation where ${option ?? "nothing"} is said`, async () => {
    const name = `prune-${policy.toLowerCase()}`;
    await using there = await synced(name, { "app/gone.yaml": configMapText("gone") });
    const begun = world().requests.length;
    await sync(there, { prune: true, syncOptions: option ? [option] : [] });
    assert.deepEqual(deletionsSince(world(), begun), [`gone ${policy}`]);
  });

test("waves of prunes go backwards, and each waits until the one before is gone", async () => {
  await using there = await synced("backwards", {
    "app/low.yaml": configMapText("low", "1", marks({ "sync-wave": "1" })),
    "app/high.yaml": configMapText("high", "1", marks({ "sync-wave": "2" })),
  });
  const high = configMapRef("backwards", "high");
  const hold = (finalizers: string[] | null) =>
    world().kube.patch(high, { type: "merge", body: { metadata: { finalizers } } }, { signal: limit() });
  await hold(["example.com/hold"]);
  const begun = world().requests.length;
  await begin(there, { prune: true });
  await untilApplication(world().kube, "backwards", ({ message }) => /deletion of ConfigMap/.test(message));
  assert.ok(await readObject(world(), configMapRef("backwards", "low")));
  await hold(null);
  assert.equal((await untilOperation(world(), "backwards")).phase, "Succeeded");
  assert.deepEqual(deletionsSince(world(), begun), ["high Foreground", "low Foreground"]);
});

test("PruneLast goes after everything that is applied", async () => {
  await using there = await synced("last", {
    "app/gone.yaml": configMapText("gone", "1", marks({ "sync-options": "PruneLast=true" })),
  });
  await there.git.commit({ "app/late.yaml": judgedText("late", "Progressing", { "sync-wave": "4" }) });
  await begin(there, { prune: true });
  await untilApplication(world().kube, "last", ({ message }) =>
    /healthy state of ConfigMap.*late/.test(message),
  );
  assert.ok(await readObject(world(), configMapRef("last", "gone")));
  await judge(there, "late", "Healthy");
  assert.equal((await untilOperation(world(), "last")).phase, "Succeeded");
  assert.equal(await readObject(world(), configMapRef("last", "gone")), undefined);
});

test("the finalizer for the background deletes so", async () => {
  const finalizers = [`${cascade}/background`];
  await using there = await placeIn(world())("behind", kept, { finalizers });
  await sync(there);
  const begun = world().requests.length;
  await deleteApplication("behind");
  await gone("behind");
  assert.deepEqual(deletionsSince(world(), begun), ["kept Background"]);
});

for (const option of ["Delete=confirm", "Prune=confirm"])
  test(`${option} of one object holds up the deletion of all until it is approved`, async () => {
    const name = option.toLowerCase().replace("=", "-");
    const files = { ...kept, "app/asks.yaml": configMapText("asks", "1", marks({ "sync-options": option })) };
    await using there = await placeIn(world())(name, files, { finalizers: [cascade] });
    await sync(there);
    await deleteApplication(name);
    await untilObject(world(), applicationRef(name), (app) => app?.metadata.deletionTimestamp !== undefined);
    await world().controller.idle();
    assert.ok(await readObject(world(), configMapRef(name, "kept")));
    await approve(name);
    await gone(name);
    assert.equal(await readObject(world(), configMapRef(name, "kept")), undefined);
  });

test("a hook of the deletion that fails is said, and made anew until it succeeds", async () => {
  await using there = await placeIn(world())(
    "stubborn",
    { ...kept, "app/hook.yaml": judgedText("hook", "Progressing", { hook: "PreDelete" }) },
    { finalizers: [cascade] },
  );
  await sync(there);
  await deleteApplication("stubborn");
  const hook = configMapRef("stubborn", "hook");
  const first = await untilObject(world(), hook, (object) => object !== undefined);
  await judge(there, "hook", "Degraded");
  await untilObject(
    world(),
    hook,
    (object) => object !== undefined && object.metadata.uid !== first?.metadata.uid,
  );
  assert.ok(await readObject(world(), configMapRef("stubborn", "kept")));
  // The condition stands for as long as it takes to try again.
  const isSaid = world().requests.some(
    ({ url, body }) => url.includes("/applications/stubborn") && body?.includes("DeletionError"),
  );
  assert.ok(isSaid, "the failure was not said");
  await judge(there, "hook", "Healthy");
  await gone("stubborn");
});

test("hooks of a deletion go by their policy, and stay without one", async () => {
  await using there = await placeIn(world())(
    "left-behind",
    {
      ...kept,
      "app/stays.yaml": judgedText("stays", "Healthy", { hook: "PostDelete" }),
      "app/goes.yaml": judgedText("goes", "Healthy", {
        hook: "PostDelete",
        "hook-delete-policy": "HookSucceeded",
      }),
    },
    { finalizers: [cascade] },
  );
  await sync(there);
  await deleteApplication("left-behind");
  await gone("left-behind");
  assert.ok(await readObject(world(), configMapRef("left-behind", "stays")));
  assert.equal(await readObject(world(), configMapRef("left-behind", "goes")), undefined);
  assert.equal(await readObject(world(), configMapRef("left-behind", "kept")), undefined);
});

for (const takesAlong of [true, false])
  test(`a child application that goes ${takesAlong ? "takes its objects along" : "leaves its objects"}: its own finalizer says so`, async () => {
    const name = takesAlong ? "child-all" : "child-alone";
    await using child = await placeIn(world())(name, kept, { finalizers: takesAlong ? [cascade] : [] });
    await sync(child);
    const own = await readObject(world(), applicationRef(name));
    const metadata = { name, namespace: "argocd", finalizers: own?.metadata.finalizers };
    const text = JSON.stringify({
      apiVersion: own?.apiVersion,
      kind: "Application",
      metadata,
      spec: own?.spec,
    });
    await using parent = await placeIn(world())(
      `${name}-parent`,
      { "app/child.yaml": text },
      {
        finalizers: [cascade],
      },
    );
    await sync(parent);
    await deleteApplication(parent.name);
    await gone(parent.name);
    await gone(name);
    const left = await readObject(world(), configMapRef(name, "kept"));
    assert.equal(left === undefined, takesAlong);
  });
