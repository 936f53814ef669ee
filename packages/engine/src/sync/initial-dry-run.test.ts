import assert from "node:assert/strict";
import { test } from "node:test";
import { configMap, deployment, hook, job, world } from "./test-world.ts";

const refused = { bad: "no such field" };

test("what is refused in the dry run leaves all as it was, and what was to be first is tried then too", () => {
  const { run, log, live } = world({ targets: [configMap("a"), configMap("bad")], refuse: refused });
  const end = run();
  assert.equal(end.phase, "Failed");
  assert.match(
    end.message,
    /one or more objects failed to apply \(dry run\): ConfigMap shop\/bad: no such field/,
  );
  assert.deepEqual(log, ["dry-run bad", "dry-run a"]);
  assert.equal(live.size, 0);
});

test("all that is refused is told at once", () => {
  const { run, live } = world({
    targets: [configMap("a"), configMap("bad"), configMap("worse")],
    refuse: { a: "no such key", ...refused, worse: "no such map" },
  });
  const { message } = run();
  for (const reason of [/a: no such key/, /bad: no such field/, /worse: no such map/])
    assert.match(message, reason);
  assert.equal(live.size, 0);
});

test("the first change is its own trial: where it is refused, all is as it was", () => {
  const input = { targets: [configMap("bad"), configMap("good"), deployment("web")], refuse: refused };
  const { run, log, live } = world(input);
  const end = run();
  assert.equal(end.phase, "Failed");
  assert.match(end.message, /\(dry run\): ConfigMap shop\/bad: no such field$/);
  assert.deepEqual(log, ["dry-run good, web", "apply bad"]);
  assert.deepEqual(
    end.state.results.map(({ name, status, hookPhase }) => `${name} ${status} ${hookPhase}`),
    ["bad SyncFailed Failed"],
  );
  assert.equal(live.size, 0);
});

test("no SyncFail hook runs where the first change was refused", () => {
  const { run, log } = world({
    targets: [configMap("bad"), configMap("good")],
    hooks: [hook(job("cry"), "SyncFail")],
    refuse: refused,
  });
  assert.equal(run().phase, "Failed");
  assert.deepEqual(log, ["dry-run good, cry", "apply bad"]);
});

test("after the destination namespace is made all are tried", () => {
  const syncOptions = ["CreateNamespace=true"];
  const both = world({ targets: [configMap("a"), configMap("b")], syncOptions });
  assert.equal(both.run().phase, "Succeeded");
  assert.deepEqual(both.log, ["apply shop", "dry-run a, b", "apply a", "apply b"]);
  const alone = world({ targets: [configMap("bad")], syncOptions, refuse: refused });
  const { message, state } = alone.run();
  assert.match(message, /\(dry run\)/);
  assert.deepEqual(alone.log, ["apply shop", "dry-run bad"]);
  assert.deepEqual(
    state.results.map(({ name, hookPhase }) => `${name} ${hookPhase}`),
    ["shop Running", "bad Failed"],
  );
});

test("what may be deleted and made anew, or has its owners written first, is tried", () => {
  const targets = [configMap("a", { options: "Force=true,Replace=true" }), configMap("b")];
  const forced = world({ targets });
  forced.run();
  assert.equal(forced.log[0], "dry-run a, b");
  const owned = world({ targets: [configMap("a"), configMap("b")], live: [configMap("a")] });
  owned.run();
  assert.equal(owned.log[0], "dry-run a, b");
  const own = { targets, live: [configMap("a")], syncOptions: ["ClientSideApplyMigration=false"] };
  const unowned = world({ ...own, targets: [configMap("a"), configMap("b")] });
  unowned.run();
  assert.equal(unowned.log[0], "dry-run b");
});

test("where a sync begins by taking away, all is tried", () => {
  const pruning = world({ targets: [configMap("a"), configMap("b")], live: [configMap("old")], prune: true });
  pruning.run();
  assert.equal(pruning.log[0], "dry-run a, b");
  const replacing = world({
    targets: [configMap("a"), configMap("b")],
    hooks: [hook(job("migrate"), "PreSync", "BeforeHookCreation")],
    live: [job("migrate")],
  });
  replacing.run();
  assert.equal(replacing.log[0], "dry-run a, b");
});

test("what comes first may be a hook, and is waited for", () => {
  const { run, log, setHealth } = world({
    targets: [configMap("a"), configMap("b")],
    hooks: [hook(job("migrate"), "PreSync")],
    health: { migrate: "Progressing" },
  });
  assert.equal(run().message, "waiting for completion of hook batch/Job shop/migrate");
  assert.deepEqual(log, ["dry-run a, b", "apply migrate"]);
  setHealth("migrate", "Healthy");
  assert.equal(run().phase, "Succeeded");
});
