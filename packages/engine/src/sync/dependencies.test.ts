import assert from "node:assert/strict";
import { test } from "node:test";
import type { Application } from "@capstan/model";
import fc from "fast-check";
import { findDependencyHold } from "./dependencies.ts";

interface Sketch {
  dependsOn?: string;
  labels?: Record<string, string>;
  project?: string;
  namespace?: string;
  sync?: "Synced" | "OutOfSync";
  health?: "Healthy" | "Degraded";
  revision?: string;
  branch?: string;
}

function app(name: string, sketch: Sketch = {}): Application {
  const { dependsOn, labels = {}, project = "team", namespace = "argocd", revision = "r1", branch } = sketch;
  const source = {
    repoURL: "https://example.com/shop",
    path: name,
    ...(branch ? { targetRevision: branch } : {}),
  };
  const destination = { name: "in-cluster", namespace: "shop" };
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: {
      ...{ name, namespace, labels },
      annotations: dependsOn === undefined ? {} : { "capstan.dev/depends-on": dependsOn },
    },
    spec: { project, source, destination },
    status: {
      sync: { status: sketch.sync ?? "Synced", revision, comparedTo: { source, destination } },
      health: { status: sketch.health ?? "Healthy" },
    },
  };
}

const holdOf = (own: Application, ...others: Application[]) => findDependencyHold(own, [own, ...others]);

test("an application that depends on nothing, or on what is Synced and Healthy, is not held", () => {
  assert.equal(holdOf(app("web"), app("db", { sync: "OutOfSync" })), undefined);
  assert.equal(holdOf(app("web", { dependsOn: "db, cache" }), app("db"), app("cache")), undefined);
});

const lacks: [string, Application, RegExp][] = [
  ["OutOfSync", app("db", { sync: "OutOfSync" }), /db \(it is OutOfSync\)/],
  ["Degraded", app("db", { health: "Degraded" }), /db \(it is Degraded\)/],
  ["being synced", { ...app("db"), operation: {} }, /db \(it is being synced\)/],
  ["at an older commit of the same branch", app("db", { revision: "r0" }), /db \(it has not looked/],
  ["compared with a former source", { ...app("db"), spec: app("other").spec }, /db \(it has not looked/],
  ["absent", app("other"), /db \(there is none in project team\)/],
];
for (const [what, other, expected] of lacks) {
  test(`it waits for one that is ${what}`, () => {
    const hold = holdOf(app("web", { dependsOn: "db" }), other);
    assert.equal(hold?.kind, "waiting");
    assert.match(hold?.message ?? "", expected);
  });
}

test("another branch has commits of its own", () => {
  assert.equal(
    holdOf(app("web", { dependsOn: "db" }), app("db", { branch: "v2", revision: "r0" })),
    undefined,
  );
});

test("a selector means all that have the labels, but not the application itself", () => {
  const labels = { tier: "back" };
  const own = app("web", { dependsOn: "tier=back", labels });
  const hold = holdOf(
    own,
    app("a", { labels }),
    app("b", { labels, sync: "OutOfSync" }),
    app("c", { sync: "OutOfSync" }),
  );
  assert.equal(hold?.message, "Waiting for applications that this one depends on: b (it is OutOfSync)");
  assert.match(holdOf(own)?.message ?? "", /tier=back \(there is none/);
  const others = app("web", { dependsOn: "tier!=back; c", labels });
  assert.match(holdOf(others, app("c", { sync: "OutOfSync" }))?.message ?? "", /c \(it is OutOfSync\)/);
});

test("selectors are those of Kubernetes, beside names", () => {
  const others = [app("a", { labels: { tier: "back" } }), app("b", { labels: { tier: "db", old: "" } })];
  for (const [text, meant] of [
    ["tier in (back, db)", ["a", "b"]],
    ["tier notin (back),!missing", ["b"]],
    ["tier in (back,db),old=", ["b"]],
    ["!old", ["a"]],
    ["constructor!=x,tier==back; b", ["a", "b"]],
  ] as const) {
    const waiting = others.map((one) => ({ ...one, operation: {} }));
    const expected = meant.map((name) => `${name} (it is being synced)`).join(", ");
    const hold = holdOf(app("web", { dependsOn: text, labels: { old: "" } }), ...waiting);
    assert.equal(hold?.message, `Waiting for applications that this one depends on: ${expected}`, text);
  }
});

test("a selector that means thousands, and a cycle of thousands, are told in a few names", () => {
  const names = Array.from({ length: 3_000 }, (_, index) => `a${index}`);
  const labels = { tier: "back" };
  const many = names.map((name) => app(name, { labels, sync: "OutOfSync" }));
  const waiting = holdOf(app("web", { dependsOn: "tier=back" }), ...many);
  assert.match(waiting?.message ?? "", /a0 \(it is OutOfSync\), .* and 2990 more$/);
  const ring = names.map((name, index) => app(name, { dependsOn: `a${(index + 1) % names.length}` }));
  const refused = findDependencyHold(ring[0] ?? app("a0"), ring);
  assert.match(refused?.message ?? "", /: a0 -> a1 -> .* -> a8 -> … -> a0$/);
});

test("lists without end are refused before anything is looked at, and so is what leads to many of them", () => {
  const long = holdOf(app("web", { dependsOn: "db,".repeat(4_000) }));
  assert.deepEqual(long, {
    kind: "refused",
    message: "annotation capstan.dev/depends-on: is longer than 10000 characters",
  });
  const nothing = holdOf(app("web", { dependsOn: `${"A".repeat(9_000)}!` }));
  assert.ok((nothing?.message ?? "").length < 300);
  const rivals = Array.from({ length: 2_000 }, (_, index) => {
    const selectors = Array.from({ length: 700 }, (__, at) => `k${index}=v${at}`);
    return app(`r${index}`, { labels: { all: "" }, dependsOn: ["all=", ...selectors].join(";") });
  });
  const hold = holdOf(app("web", { dependsOn: "all=" }), ...rivals);
  assert.deepEqual([hold?.kind, /leads to more applications/.test(hold?.message ?? "")], ["refused", true]);
});

test("nothing is learnt of an application of another project: it is as if it were not there", () => {
  const own = app("web", { dependsOn: "db" });
  const absent = holdOf(own);
  for (const other of [app("db", { project: "rival" }), app("db", { project: "rival", sync: "OutOfSync" })])
    assert.deepEqual(holdOf(own, other), absent);
  const through = [app("db", { project: "rival", dependsOn: "web" })];
  assert.deepEqual(holdOf(own, ...through), absent);
});

test("what cannot be read is refused", () => {
  for (const text of ["Web!", "tier=back,front", "a b"])
    assert.equal(holdOf(app("web", { dependsOn: text }))?.kind, "refused", text);
});

test("cycles are refused by name", () => {
  const hold = holdOf(
    app("a", { dependsOn: "b" }),
    app("b", { dependsOn: "c" }),
    app("c", { dependsOn: "a" }),
  );
  assert.equal(hold?.message, "Applications depend on each other, and none can begin: a -> b -> c -> a");
  assert.equal(holdOf(app("a", { dependsOn: "a" }))?.kind, "refused");
});

test("over any graph, who is on a cycle is refused, and the others begin after what they depend on", () => {
  const edges = fc.array(fc.tuple(fc.nat(6), fc.nat(6)), { maxLength: 14 });
  fc.assert(
    fc.property(edges, (pairs) => {
      const size = 7;
      const reach = Array.from({ length: size }, (_, from) =>
        Array.from({ length: size }, (__, to) => pairs.some(([one, other]) => one === from && other === to)),
      );
      for (let via = 0; via < size; via += 1)
        for (const row of reach)
          for (let to = 0; to < size; to += 1) if (row[via] && reach[via]?.[to]) row[to] = true;
      const synced = new Set<number>();
      const draw = () =>
        reach.map((_, index) => {
          const names = pairs.filter(([from]) => from === index).map(([, to]) => `a${to}`);
          const sync = synced.has(index) ? ("Synced" as const) : ("OutOfSync" as const);
          return app(`a${index}`, { sync, ...(names.length > 0 ? { dependsOn: names.join(",") } : {}) });
        });
      for (let round = 0; round < size; round += 1) {
        const apps = draw();
        for (const [index, one] of apps.entries()) {
          const hold = findDependencyHold(one, apps);
          assert.equal(hold?.kind === "refused", reach[index]?.[index] === true);
          if (hold !== undefined) continue;
          for (const [from, to] of pairs) if (from === index) assert.ok(synced.has(to));
        }
        for (const [index, one] of apps.entries()) if (!findDependencyHold(one, apps)) synced.add(index);
      }
      const blocked = reach.map((row, index) => row[index] || row.some((is, to) => is && reach[to]?.[to]));
      assert.deepEqual(
        [...synced].sort(),
        blocked.flatMap((is, index) => (is ? [] : [index])),
      );
    }),
    { numRuns: 60 },
  );
});
