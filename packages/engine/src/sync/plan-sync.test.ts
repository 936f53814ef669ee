import assert from "node:assert/strict";
import { test } from "node:test";
import { isSelected } from "./plan-sync.ts";
import { printPlan } from "./print-plan.ts";
import type { ApplyTask } from "./sync-plan.ts";
import { configMap, deployment, hook, job, planOf, type WorldInput } from "./test-world.ts";

const plan = (input: WorldInput) =>
  planOf(input, new Map((input.live ?? []).map((manifest, index) => [String(index), manifest])));

function firstApply(input: WorldInput): ApplyTask {
  const task = plan(input).tasks.find(({ act }) => act === "apply");
  if (task?.act !== "apply") throw new Error("no apply task");
  return task;
}

test("a plan prints itself in order, with what each task means", () => {
  const text = printPlan(
    plan({
      targets: [deployment("web", { wave: 1 }), configMap("settings")],
      hooks: [hook(job("migrate"), "PreSync")],
      live: [configMap("old")],
    }),
  );
  assert.equal(
    text,
    [
      "PreSync, wave 0:",
      "  hook     batch/Job shop/migrate",
      "Sync, wave 0:",
      "  keep     ConfigMap shop/old (ignored (requires pruning))",
      "  create   ConfigMap shop/settings",
      "Sync, wave 1:",
      "  create   apps/Deployment shop/web",
    ].join("\n"),
  );
});

test("a plan of nothing says so", () => {
  assert.equal(printPlan(plan({ targets: [] })), "nothing to do");
});

test("server-side apply is the default", () => {
  assert.deepEqual(firstApply({ targets: [configMap("a")] }).mode, {
    method: "server-side",
    force: false,
    validate: true,
    migrateFrom: "kubectl-client-side-apply",
  });
});

test("an annotation wins over the application's options", () => {
  const { mode } = firstApply({
    targets: [configMap("a", { options: "ServerSideApply=false, Validate=false" })],
    syncOptions: ["ServerSideApply=true"],
  });
  assert.deepEqual([mode.method, mode.validate], ["client-side", false]);
});

test("Replace beats server-side apply", () => {
  const syncOptions = ["Replace=true", "ServerSideApply=true"];
  assert.equal(firstApply({ targets: [configMap("a")], syncOptions }).mode.method, "replace");
});

test("Force in the application's options means nothing", () => {
  assert.equal(firstApply({ targets: [configMap("a")], syncOptions: ["Force=true"] }).mode.force, false);
});

test("a hook with a generateName, or without any, has the same name at each step of an operation", () => {
  const named = job("x");
  const { name: _name, ...metadata } = named.metadata;
  const generated = hook({ ...named, metadata: { ...metadata, generateName: "migrate-" } }, "PreSync");
  const task = firstApply({ targets: [], hooks: [generated] });
  assert.equal(task.key.name, "migrate-0123456-presync-1767225600");
  assert.equal(task.target.metadata.generateName, undefined);
  const nameless = firstApply({ targets: [], hooks: [hook({ ...named, metadata }, "PreSync")] });
  assert.equal(nameless.key.name, "0123456-presync-1767225600");
});

test("a hook of two types is a task in each phase", () => {
  const both = hook(job("h"), "Sync");
  both.metadata.annotations = { "argocd.argoproj.io/hook": "PreSync,PostSync" };
  assert.deepEqual(
    plan({ targets: [], hooks: [both] }).tasks.map(({ id }) => id),
    ["PreSync/batch/Job/shop/h", "PostSync/batch/Job/shop/h"],
  );
});

const key = { group: "apps", kind: "Deployment", namespace: "shop", name: "web" };
const selections: [string, Parameters<typeof isSelected>[1], boolean][] = [
  ["no selection is all", [], true],
  ["a namespace that is not given matches any", [{ group: "apps", kind: "Deployment", name: "web" }], true],
  ["another namespace", [{ group: "apps", kind: "Deployment", name: "web", namespace: "x" }], false],
  ["another group", [{ kind: "Deployment", name: "web" }], false],
];
for (const [fact, selection, expected] of selections) {
  test(`selection: ${fact}`, () => assert.equal(isSelected(key, selection), expected));
}
