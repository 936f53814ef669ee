import assert from "node:assert/strict";
import { test } from "node:test";
import { listContent as contentOf, type Row } from "./list-rows.ts";
import { defaultView, type ListView } from "./list-view.ts";
import type { RowFacts } from "./row-facts.ts";

function app(name: string, more: Partial<RowFacts> = {}): RowFacts {
  return {
    key: `argocd/${name}`,
    name,
    namespace: "argocd",
    project: "default",
    health: "Healthy",
    sync: "Synced",
    operation: "Succeeded",
    problem: "",
    problemText: "",
    automatic: false,
    repository: "https://git.example.com/repo.git",
    revision: "",
    target: "main",
    sources: 1,
    cluster: "in-cluster",
    destinationNamespace: name,
    labels: [],
    syncedAt: "",
    changedTime: 0,
    deleting: false,
    searched: name,
    ...more,
  };
}

const beside = { now: 100_000_000, favourites: new Set(["argocd/liked"]) };
const listContent = (apps: readonly RowFacts[], view: ListView) => contentOf(apps, view, beside);

const names = (rows: readonly Row[]) =>
  rows.map((row) => (row.kind === "app" ? row.app.name : `[${row.label}]`));
const health = (...chosen: string[]) => ({
  ...defaultView,
  chosen: { ...defaultView.chosen, health: chosen },
});

test("the worst stand first, and names in the order of their numbers", () => {
  const apps = [
    app("app-10"),
    app("app-9"),
    app("drifted", { sync: "OutOfSync" }),
    app("moving", { health: "Progressing" }),
    app("broken", { health: "Degraded" }),
    app("failed", { problem: "field is immutable" }),
    app("gone", { health: "Missing" }),
  ];
  assert.deepEqual(names(listContent(apps, defaultView).rows), [
    "broken",
    "gone",
    "failed",
    "moving",
    "drifted",
    "app-9",
    "app-10",
  ]);
});

test("a facet counts what its own filter hides, and not what other filters hide", () => {
  const apps = [app("a", { health: "Degraded" }), app("b"), app("c", { project: "shop" })];
  const view = { ...health("Degraded"), text: "" };
  const { values, shown, all } = listContent(apps, view);
  assert.deepEqual([shown, all], [1, 3]);
  assert.deepEqual(values.health, [
    { value: "Degraded", count: 1 },
    { value: "Healthy", count: 2 },
  ]);
  assert.deepEqual(values.project, [{ value: "default", count: 1 }]);
});

test("several values of a facet widen, several facets narrow", () => {
  const apps = [app("a", { health: "Degraded", project: "shop" }), app("b", { health: "Missing" }), app("c")];
  assert.deepEqual(names(listContent(apps, health("Degraded", "Missing")).rows), ["a", "b"]);
  const both = {
    ...defaultView,
    chosen: { ...defaultView.chosen, health: ["Degraded"], project: ["default"] },
  };
  assert.equal(listContent(apps, both).shown, 0);
});

test("groups stand in the order of their worst application", () => {
  const apps = [
    app("a", { labels: ["team=alpha"] }),
    app("b", { labels: ["team=beta"], health: "Degraded" }),
    app("c"),
  ];
  const rows = listContent(apps, { ...defaultView, group: "label:team" }).rows;
  assert.deepEqual(names(rows), ["[beta]", "b", "[]", "c", "[alpha]", "a"]);
});

test("ten thousand applications are filtered and sorted in one pass", () => {
  let reads = 0;
  const apps = Array.from({ length: 10_000 }, (_, index) => {
    const facts = app(`app-${index}`, { health: index % 7 === 0 ? "Degraded" : "Healthy" });
    return Object.defineProperty(facts, "project", {
      get: () => {
        reads++;
        return "default";
      },
    });
  });
  assert.equal(listContent(apps, health("Degraded")).shown, 1429);
  assert.ok(reads <= 20_000, `the project was read ${reads} times`);
});

const chosen = (more: Partial<ListView["chosen"]>): ListView => ({
  ...defaultView,
  chosen: { ...defaultView.chosen, ...more },
});

test("labels of different keys are wanted together, of one key either is enough", () => {
  const apps = [
    app("both", { labels: ["team=shop", "tier=web"] }),
    app("team", { labels: ["team=shop"] }),
    app("other", { labels: ["team=ops", "tier=web"] }),
  ];
  const found = (...label: string[]) => names(listContent(apps, chosen({ label })).rows);
  assert.deepEqual(found("team=shop", "tier=web"), ["both"]);
  assert.deepEqual(found("team=shop", "team=ops", "tier=web"), ["both", "other"]);
});

test("by operation, automation, repository, revision, time and favourites", () => {
  const apps = [
    app("failing", { operation: "Retrying", automatic: true, changedTime: beside.now - 60_000 }),
    app("liked", { target: "v1", repository: "oci://a", changedTime: beside.now - 7_200_000 }),
  ];
  const found = (facet: string, value: string) => names(listContent(apps, chosen({ [facet]: [value] })).rows);
  assert.deepEqual(found("operation", "Failing"), ["failing"]);
  assert.deepEqual(found("auto", "on"), ["failing"]);
  assert.deepEqual(found("repo", "oci://a"), ["liked"]);
  assert.deepEqual(found("target", "v1"), ["liked"]);
  assert.deepEqual(found("changed", "hour"), ["failing"]);
  assert.deepEqual(found("changed", "day"), ["failing", "liked"]);
  assert.deepEqual(found("favourite", "yes"), ["liked"]);
});
