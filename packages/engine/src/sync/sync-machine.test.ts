import assert from "node:assert/strict";
import { test } from "node:test";
import { type HealthStatusCode, keyOf, keyText, type Manifest, type ResourceResult } from "@capstan/model";
import { account, configMap, crd, deployment, hook, job, namespace, widget, world } from "./test-world.ts";

const phasesOf = (results: readonly ResourceResult[]): string[] =>
  results.map(({ kind, name, status, hookPhase }) => `${kind}/${name} ${status} ${hookPhase}`);

test("a plain sync applies everything at once and does not wait for health", () => {
  const { run, log } = world({ targets: [configMap("a"), deployment("b")], health: { b: "Progressing" } });
  const end = run();
  assert.equal(end.phase, "Succeeded");
  assert.equal(end.message, "successfully synced (all tasks run)");
  assert.deepEqual(log, ["dry-run b", "apply a", "apply b"]);
  assert.deepEqual(phasesOf(end.state.results), [
    "ConfigMap/a Synced Running",
    "Deployment/b Synced Running",
  ]);
});

test("one object alone needs no dry run", () => {
  const { run, log } = world({ targets: [configMap("a")] });
  run();
  assert.deepEqual(log, ["apply a"]);
});

test("a hook is not tried on the one that is deleted first, which takes neither other fields nor a finalizer", () => {
  const { run, log } = world({
    targets: [configMap("a"), configMap("b")],
    hooks: [hook(job("migrate"), "PreSync", "BeforeHookCreation"), hook(job("new"), "PreSync")],
    live: [job("migrate")],
  });
  assert.equal(run().phase, "Succeeded");
  assert.equal(log[0], "dry-run new, a, b");
  assert.ok(log.indexOf("delete-hook migrate") < log.indexOf("apply migrate"));
});

test("waves go one after another, each waiting for the health of the one before", () => {
  const { run, log, setHealth } = world({
    targets: [deployment("late", { wave: 2 }), deployment("early", { wave: -1 }), configMap("middle")],
    health: { early: "Progressing" },
  });
  const waiting = run();
  assert.equal(waiting.kind, "wait");
  assert.equal(waiting.message, "waiting for healthy state of apps/Deployment shop/early");
  setHealth("early", "Healthy");
  assert.equal(run().phase, "Succeeded");
  assert.deepEqual(log.slice(1), ["apply early", "apply middle", "apply late"]);
});

test("the last wave is over once it is applied, healthy or not, unless a hook is in it", () => {
  const targets = [deployment("early", { wave: -1 }), deployment("late")];
  const alone = world({ targets, health: { late: "Degraded" } });
  const end = alone.run();
  assert.equal(end.message, "successfully synced (all tasks run)");
  assert.deepEqual(phasesOf(end.state.results), [
    "Deployment/early Synced Succeeded",
    "Deployment/late Synced Running",
  ]);
  const beside = world({ targets, hooks: [hook(job("check"), "Sync")], health: { late: "Progressing" } });
  assert.equal(beside.run().message, "waiting for healthy state of apps/Deployment shop/late");
  beside.setHealth("late", "Healthy");
  assert.equal(beside.run().message, "successfully synced (no more tasks)");
});

test("a hook is Synced as long as it runs: whoever watches the sync sees it", () => {
  const { run, setHealth } = world({
    targets: [configMap("a")],
    hooks: [hook(job("migrate"), "PreSync")],
    health: { migrate: "Progressing" },
  });
  assert.deepEqual(phasesOf(run().state.results), ["Job/migrate Synced Running"]);
  setHealth("migrate", "Degraded");
  assert.deepEqual(phasesOf(run().state.results), ["Job/migrate undefined Failed"]);
});

test("a degraded object in an earlier wave fails the sync, and later waves do not start", () => {
  const { run, log } = world({
    targets: [deployment("first", { wave: 0 }), deployment("second", { wave: 1 })],
    health: { first: "Degraded" },
  });
  const end = run();
  assert.equal(end.phase, "Failed");
  assert.match(end.message, /one or more synchronization tasks completed unsuccessfully.*shop\/first/);
  assert.ok(!log.includes("apply second"));
});

test("kinds have an order within a wave, and a failed group does not stop later groups", () => {
  const { run, log } = world({
    targets: [deployment("d"), configMap("c"), namespace("n")],
    dryRunFirst: false,
    refuse: { c: "refused" },
  });
  const end = run();
  assert.deepEqual(log, ["apply n", "apply c", "apply d"]);
  assert.equal(end.phase, "Failed");
  assert.equal(end.state.results.find(({ name }) => name === "d")?.status, "Synced");
});

test("pre-sync hooks come first, post-sync hooks after the objects are healthy", () => {
  const { run, log, setHealth } = world({
    targets: [deployment("app")],
    hooks: [hook(job("after"), "PostSync"), hook(job("before"), "PreSync")],
    health: { before: "Progressing", app: "Progressing", after: "Healthy" },
  });
  assert.equal(run().message, "waiting for completion of hook batch/Job shop/before");
  setHealth("before", "Healthy");
  assert.equal(run().message, "waiting for healthy state of apps/Deployment shop/app");
  setHealth("app", "Healthy");
  const end = run();
  assert.equal(end.phase, "Succeeded");
  assert.deepEqual(
    log.filter((line) => line.startsWith("apply")),
    ["apply before", "apply app", "apply after"],
  );
});

test("a completed hook loses our finalizer", () => {
  const { run, live } = world({ targets: [configMap("a")], hooks: [hook(job("migrate"), "PreSync")] });
  const { phase, state } = run();
  assert.equal(phase, "Succeeded");
  // What is a hook has no status once it was looked at, only a phase.
  assert.deepEqual(phasesOf(state.results), [
    "Job/migrate undefined Succeeded",
    "ConfigMap/a Synced Running",
  ]);
  assert.deepEqual(live.get("batch/Job/shop/migrate")?.metadata.finalizers, []);
});

test("a hook that a killed process made for this operation is not run again; one of an earlier operation is", () => {
  const migrate = hook(job("migrate"), "PreSync");
  const made = (mark: string) => ({
    ...migrate,
    metadata: {
      ...migrate.metadata,
      namespace: "shop",
      annotations: { ...migrate.metadata.annotations, "capstan.dev/hook-of": mark },
    },
  });
  const after = (mark: string, isResumed: boolean) =>
    world({ targets: [configMap("a")], hooks: [migrate], live: [made(mark)], isResumed, dryRunFirst: false });
  const own = "2026-01-01T00:00:00Z/0/PreSync";
  const resumed = after(own, true);
  assert.deepEqual(phasesOf(resumed.run().state.results), [
    "Job/migrate undefined Succeeded",
    "ConfigMap/a Synced Running",
  ]);
  assert.ok(!resumed.log.includes("apply migrate"));
  for (const others of [
    after("2025-12-31T00:00:00Z/0/PreSync", true),
    after("2026-01-01T00:00:00Z/0/Sync", true),
    after(own, false),
  ]) {
    others.run();
    assert.ok(others.log.includes("apply migrate"));
  }
});

test("a hook of an operation that began at the same second by another controller's clock is none of this one", () => {
  const migrate = hook(job("migrate"), "PreSync");
  const ofOther = world({ targets: [], hooks: [migrate], deployed: 3, dryRunFirst: false });
  ofOther.run();
  const live = [...ofOther.live.values()];
  const left = { hooks: [migrate], live, isResumed: true, dryRunFirst: false };
  for (const [deployed, isMade] of [
    [3, false],
    [4, true],
  ] as const) {
    const { run, log } = world({ targets: [configMap("a")], ...left, deployed });
    run();
    assert.equal(log.includes("apply migrate"), isMade, `after ${deployed}`);
  }
});

test("a hook of this operation that another process made while this one waited is not taken for an old one", () => {
  const migrate = hook(job("migrate"), "PreSync");
  const { run, live, log } = world({
    targets: [configMap("a")],
    hooks: [migrate],
    live: [{ ...migrate, metadata: { ...migrate.metadata, uid: "former" } }],
    lingers: ["migrate"],
    dryRunFirst: false,
  });
  assert.match(run().message, /waiting for deletion of hook/);
  const annotations = {
    ...migrate.metadata.annotations,
    "capstan.dev/hook-of": "2026-01-01T00:00:00Z/0/PreSync",
  };
  const made = { ...migrate, metadata: { ...migrate.metadata, annotations, uid: "of another" } };
  live.set(keyText(keyOf(made)), made);
  assert.equal(run().phase, "Succeeded");
  assert.deepEqual(log, ["delete-hook migrate", "apply a"]);
});

test("HookSucceeded deletes at the end, not when the hook is done", () => {
  const { run, log } = world({
    targets: [deployment("app")],
    hooks: [hook(job("migrate"), "PreSync", "HookSucceeded")],
  });
  assert.equal(run().phase, "Succeeded");
  assert.deepEqual(log.slice(-2), ["apply app", "delete-hook migrate"]);
});

test("a hook left over from before is deleted before it is made again", () => {
  const { run, log } = world({
    targets: [],
    hooks: [hook(job("migrate"), "PreSync")],
    live: [job("migrate")],
  });
  assert.equal(run().phase, "Succeeded");
  assert.deepEqual(
    log.filter((line) => !line.startsWith("release")),
    ["delete-hook migrate", "apply migrate"],
  );
});

test("a failed hook runs the SyncFail hooks, and HookFailed hooks are deleted", () => {
  const { run, log } = world({
    targets: [deployment("app")],
    hooks: [hook(job("migrate"), "PreSync", "HookFailed"), hook(job("cry"), "SyncFail")],
    health: { migrate: "Degraded" },
  });
  const end = run();
  assert.equal(end.phase, "Failed");
  assert.ok(log.includes("apply cry"));
  assert.ok(log.includes("delete-hook migrate"));
  assert.ok(!log.includes("apply app"));
});

test("a SyncFail hook of an earlier try is applied once its former one is gone", () => {
  const old = {
    ...job("cry"),
    metadata: { ...job("cry").metadata, finalizers: ["argocd.argoproj.io/hook-finalizer"] },
  };
  for (const [policy, left] of [
    ["BeforeHookCreation", {}],
    // Somebody else deletes it, and only our finalizer holds it.
    ["HookSucceeded", { deletionTimestamp: "2026-01-01T00:00:00Z" }],
  ] as const) {
    const { run, log, live } = world({
      targets: [configMap("bad")],
      hooks: [hook(job("cry"), "SyncFail", policy)],
      live: [{ ...old, metadata: { ...old.metadata, ...left } }],
      refuse: { bad: "no" },
      lingers: ["cry"],
      dryRunFirst: false,
    });
    const waiting = run();
    assert.equal(waiting.kind, "wait");
    assert.equal(waiting.message, "waiting for deletion of hook batch/Job shop/cry");
    assert.deepEqual(log, ["apply bad", "delete-hook cry"]);
    live.delete("batch/Job/shop/cry");
    assert.equal(run().phase, "Failed");
    assert.ok(log.includes("apply cry"));
  }
});

test("a hook that the cluster makes again each time it is deleted is deleted once and then applied over", () => {
  const { run, log } = world({
    targets: [configMap("app")],
    hooks: [hook(account("default"), "PostSync", "BeforeHookCreation")],
    live: [account("default")],
    remade: ["default"],
  });
  assert.equal(run().phase, "Succeeded");
  assert.deepEqual(log.slice(-3), ["delete-hook default", "apply default", "release-hook default"]);
});

test("SyncFail hooks run when nothing could be applied, but not after a failed dry run", () => {
  const input = {
    targets: [configMap("bad")],
    hooks: [hook(job("cry"), "SyncFail")],
    refuse: { bad: "no" },
  };
  const applied = world({ ...input, dryRunFirst: false });
  assert.equal(applied.run().phase, "Failed");
  assert.ok(applied.log.includes("apply cry"));
  const tried = world(input);
  assert.match(tried.run().message, /\(dry run\)/);
  assert.deepEqual(tried.log, ["dry-run cry", "apply bad"]);
});

test("a hook that vanishes is an error", () => {
  const { run, live } = world({
    targets: [],
    hooks: [hook(job("migrate"), "PreSync")],
    health: { migrate: "Progressing" },
  });
  run();
  live.delete("batch/Job/shop/migrate");
  const end = run();
  assert.equal(end.phase, "Error");
  assert.match(end.message, /is missing, it might have been deleted/);
});

test("terminating deletes running hooks and keeps results of what is complete", () => {
  const { run, log, terminate } = world({
    targets: [deployment("app")],
    hooks: [hook(job("migrate"), "PreSync")],
    health: { migrate: "Progressing" },
  });
  run();
  const end = terminate();
  assert.equal(end.phase, "Failed");
  assert.equal(end.message, "Operation terminated");
  assert.ok(log.includes("delete-hook migrate"));
});

test("without prune, objects that git no longer has stay", () => {
  const { run, live } = world({ targets: [configMap("a")], live: [configMap("old")] });
  const end = run();
  assert.equal(end.phase, "Succeeded");
  assert.ok(live.has("/ConfigMap/shop/old"));
  const result = end.state.results.find(({ name }) => name === "old");
  assert.equal(result?.status, "PruneSkipped");
  assert.equal(result?.message, "ignored (requires pruning)");
});

test("prunes go in the opposite order of waves", () => {
  const { run, log } = world({
    targets: [],
    live: [configMap("base", { wave: 0 }), configMap("top", { wave: 5 })],
    prune: true,
  });
  assert.equal(run().phase, "Succeeded");
  assert.deepEqual(log, ["prune top", "prune base"]);
});

test("PruneLast prunes after everything else", () => {
  const { run, log } = world({
    targets: [deployment("app", { wave: 3 })],
    live: [configMap("old", { wave: -3 })],
    prune: true,
    syncOptions: ["PruneLast=true"],
  });
  assert.equal(run().phase, "Succeeded");
  assert.deepEqual(log, ["apply app", "prune old"]);
});

test("an unconfirmed prune holds up its whole wave", () => {
  const { run, log } = world({
    targets: [configMap("a")],
    live: [configMap("old", { options: "Prune=confirm" })],
    prune: true,
  });
  const step = run();
  assert.equal(step.kind, "wait");
  assert.match(step.message, /confirmation of ConfigMap shop\/old/);
  assert.deepEqual(log, []);
});

test("Prune=false keeps an object even when pruning", () => {
  const { run, live } = world({
    targets: [configMap("a")],
    live: [configMap("old", { options: "Prune=false" })],
    prune: true,
  });
  const end = run();
  assert.equal(end.state.results.find(({ name }) => name === "old")?.message, "ignored (no prune)");
  assert.ok(live.has("/ConfigMap/shop/old"));
});

test("CreateNamespace with nothing else to be tried makes the namespace, and the sync goes on", () => {
  const syncOptions = ["CreateNamespace=true"];
  const alone = world({ targets: [], syncOptions });
  assert.equal(alone.run().phase, "Succeeded");
  assert.deepEqual(alone.log, ["apply shop"]);
  const untried = world({ targets: [widget("w"), crd()], syncOptions });
  assert.equal(untried.run().phase, "Succeeded");
});

test("a CRD comes before the objects that need it, which are not tried in a dry run", () => {
  const { run, log, plan } = world({ targets: [widget("w"), configMap("a"), crd(), configMap("b")] });
  assert.equal(run().phase, "Succeeded");
  assert.deepEqual(
    plan.tasks.map(({ key }) => key.name),
    ["a", "b", "widgets.example.com", "w"],
  );
  assert.equal(log[0], "dry-run b, widgets.example.com");
});

test("a kind that nobody defines refuses the whole sync", () => {
  const { run, log } = world({ targets: [widget("w"), configMap("a")] });
  const end = run();
  assert.equal(end.phase, "Failed");
  assert.match(end.message, /are not valid: The Kubernetes API could not find example.com\/Widget/);
  assert.deepEqual(log, []);
});

test("a dry run changes nothing and says what would be", () => {
  const { run, log, live } = world({
    targets: [configMap("a"), configMap("b")],
    live: [configMap("old")],
    prune: true,
    dryRun: true,
  });
  const end = run();
  assert.equal(end.phase, "Succeeded");
  assert.deepEqual(log, ["dry-run a, b, old"]);
  assert.equal(live.size, 1);
  assert.deepEqual(end.state.results.map(({ name, message }) => `${name}: ${message}`).sort(), [
    "a: configmap/a created (dry run)",
    "b: configmap/b created (dry run)",
    "old: pruned (dry run)",
  ]);
});

test("a dry run tries no hook that a sync would delete first, and says that it would be made", () => {
  const { run, log } = world({
    targets: [configMap("a")],
    hooks: [hook(job("migrate"), "PreSync", "BeforeHookCreation")],
    live: [job("migrate")],
    refuse: { migrate: "field is immutable" },
    dryRun: true,
  });
  const end = run();
  assert.equal(end.phase, "Succeeded");
  assert.deepEqual(log, ["dry-run a"]);
  assert.deepEqual(end.state.results.map(({ name, message }) => `${name}: ${message}`).sort(), [
    "a: configmap/a created (dry run)",
    "migrate: job.batch/migrate created (dry run)",
  ]);
});

test("a restart in the middle goes on where the results end", () => {
  const first = world({
    targets: [deployment("one", { wave: 0 }), deployment("two", { wave: 1 })],
    health: { one: "Progressing" },
  });
  const { state } = first.run();
  const second = world({
    targets: [deployment("one", { wave: 0 }), deployment("two", { wave: 1 })],
    live: [...first.live.values()],
    state: { results: state.results, validated: false },
  });
  assert.equal(second.run().phase, "Succeeded");
  assert.deepEqual(second.log, ["apply two"]);
});

const codes: HealthStatusCode[] = ["Healthy", "Progressing", "Degraded", "Suspended", "Unknown"];

test("whatever happens, a sync ends or waits, and never prunes unless told", () => {
  let seed = 7;
  const next = (limit: number): number => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % limit;
  };
  for (let round = 0; round < 200; round += 1) {
    const names = ["a", "b", "c", "d"];
    const targets: Manifest[] = names.slice(0, next(5)).map((name) => deployment(name, { wave: next(3) }));
    const hooks =
      round % 3 === 2
        ? []
        : [hook(job("h"), (["PreSync", "Sync", "PostSync", "SyncFail"] as const)[next(4)] ?? "Sync")];
    const health = Object.fromEntries([...names, "h"].map((name) => [name, codes[next(5)] ?? "Healthy"]));
    const { run, live } = world({
      targets,
      hooks,
      health,
      live: [configMap("old")],
      syncOptions: round % 2 === 0 ? [] : ["CreateNamespace=true"],
      refuse: next(4) === 0 ? { a: "no" } : {},
    });
    const step = run();
    assert.ok(step.kind === "wait" || step.kind === "done");
    assert.ok(live.has("/ConfigMap/shop/old"));
  }
});
