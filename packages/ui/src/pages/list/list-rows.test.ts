import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApplicationRow } from "@capstan/model";
import fc from "fast-check";
import { listCounter, type Row } from "./list-rows.ts";
import { defaultView, facets, type ListView } from "./list-view.ts";

function app(name: string, more: Partial<ApplicationRow> = {}): ApplicationRow {
  return {
    name,
    namespace: "argocd",
    project: "default",
    health: "Healthy",
    sync: "Synced",
    operation: "Succeeded",
    problem: "",
    automatic: false,
    repository: "https://git.example.com/repo.git",
    revision: "",
    target: "main",
    sources: 1,
    cluster: "in-cluster",
    destinationNamespace: name,
    labels: "",
    syncedAt: "",
    createdAt: "",
    deleting: false,
    foundBy: "",
    ...more,
  };
}

const beside = { now: 100_000_000, favourites: new Set(["argocd/liked"]) };
const mapOf = (apps: readonly ApplicationRow[]) => new Map(apps.map((one) => [`argocd/${one.name}`, one]));
const listContent = (apps: readonly ApplicationRow[], view: ListView) =>
  listCounter()(mapOf(apps), view, beside);

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
  assert.deepEqual(values("health"), [
    { value: "Degraded", count: 1 },
    { value: "Healthy", count: 2 },
  ]);
  assert.deepEqual(values("project"), [{ value: "default", count: 1 }]);
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
    app("a", { labels: "team=alpha" }),
    app("b", { labels: "team=beta", health: "Degraded" }),
    app("c"),
  ];
  const rows = listContent(apps, { ...defaultView, group: "label:team" }).rows;
  assert.deepEqual(names(rows), ["[beta]", "b", "[]", "c", "[alpha]", "a"]);
});

test("of ten thousand applications a change of one looks at that one", () => {
  let reads = 0;
  const counted = (name: string, health: string) =>
    Object.defineProperty(app(name), "health", {
      enumerable: true,
      get: () => {
        reads++;
        return health;
      },
    });
  const apps = Array.from({ length: 10_000 }, (_, index) =>
    counted(`app-${index}`, index % 7 === 0 ? "Degraded" : "Healthy"),
  );
  const view = health("Degraded");
  const count = listCounter();
  assert.equal(count(mapOf(apps), view, beside).shown, 1429);
  reads = 0;
  const next = mapOf(apps).set("argocd/app-5", counted("app-5", "Degraded"));
  assert.equal(count(next, view, beside).shown, 1430);
  assert.ok(reads > 0 && reads <= 10, `health was read ${reads} times`);
});

test("whatever changes, comes and goes, the list is as if it were counted anew", () => {
  const row = fc.record(
    {
      name: fc.constantFrom("a", "b", "c", "d", "e", "f"),
      health: fc.constantFrom("Healthy", "Degraded", "Missing"),
      project: fc.constantFrom("default", "shop"),
      problem: fc.constantFrom("", "it failed"),
      labels: fc.constantFrom("", "team=a", "team=b"),
    },
    { noNullPrototype: true },
  );
  const step = fc.tuple(row, fc.boolean());
  const views = [
    defaultView,
    { ...health("Degraded"), descending: true },
    { ...defaultView, sort: "project" as const, text: "shop" },
    { ...defaultView, group: "label:team" },
  ];
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), fc.constantFrom(...views), (steps, view) => {
      const count = listCounter();
      let rows = new Map<string, ApplicationRow>();
      for (const [{ name, ...more }, isGone] of steps) {
        rows = new Map(rows);
        if (isGone) rows.delete(`argocd/${name}`);
        else rows.set(`argocd/${name}`, app(name, more));
        const [kept, anew] = [count(rows, view, beside), listCounter()(rows, view, beside)];
        assert.deepEqual(names(kept.rows), names(anew.rows));
        assert.deepEqual([kept.shown, kept.all], [anew.shown, anew.all]);
        for (const facet of facets) assert.deepEqual(kept.values(facet), anew.values(facet), facet);
      }
    }),
  );
});

const chosen = (more: Partial<ListView["chosen"]>): ListView => ({
  ...defaultView,
  chosen: { ...defaultView.chosen, ...more },
});

test("labels of different keys are wanted together, of one key either is enough", () => {
  const apps = [
    app("both", { labels: "team=shop\ntier=web" }),
    app("team", { labels: "team=shop" }),
    app("other", { labels: "team=ops\ntier=web" }),
  ];
  const found = (...label: string[]) => names(listContent(apps, chosen({ label })).rows);
  assert.deepEqual(found("team=shop", "tier=web"), ["both"]);
  assert.deepEqual(found("team=shop", "team=ops", "tier=web"), ["both", "other"]);
});

const at = (agoMs: number) => new Date(beside.now - agoMs).toISOString();

test("by operation, automation, repository, revision, time and favourites", () => {
  const apps = [
    app("failing", { operation: "Retrying", automatic: true, createdAt: at(60_000) }),
    app("liked", { target: "v1", repository: "oci://a", createdAt: at(7_200_000) }),
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
