/** The rules of progressive syncs, a test for each (Argo CD applicationset/controllers/applicationset_controller.go performProgressiveSyncs). */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Application, ApplicationSet } from "@capstan/model";
import { nextDeletion } from "./deletion-order.ts";
import { type RollPlan, rollSet } from "./roll-set.ts";
import { deletesInReverse, withoutAutoSync } from "./rolling-strategy.ts";

const later = "2026-01-01T00:01:00Z";
const now = "2026-01-01T00:00:00Z";
const earlier = "2025-12-31T23:59:00Z";

type Strategy = NonNullable<ApplicationSet["spec"]["strategy"]>;
type Step = NonNullable<NonNullable<Strategy["rollingSync"]>["steps"]>[number];
type State = RollPlan["states"][number];
type Status = NonNullable<Application["status"]>;

const inStage = (...values: string[]): Step => ({
  matchExpressions: [{ key: "stage", operator: "In", values }],
});

function setOf(steps: readonly Step[], states: readonly State[] = [], more: Partial<Strategy> = {}) {
  const strategy = { type: "RollingSync", rollingSync: { steps: [...steps] }, ...more };
  const template = { metadata: { name: "x" }, spec: { project: "default", destination: {} } };
  const set: ApplicationSet = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "ApplicationSet",
    metadata: { name: "set" },
    spec: { generators: [], template, strategy },
    status: { applicationStatus: [...states] },
  };
  return set;
}

const source = { repoURL: "https://git.example/x", path: "." };

function appOf(name: string, stage: string | undefined, status: Status = {}): Application {
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name, ...(stage === undefined ? {} : { labels: { stage } }) },
    spec: { project: "default", source, destination: {} },
    status,
  };
}

const compared = (
  sync: "Synced" | "OutOfSync",
  health: "Healthy" | "Progressing",
  revision = "r1",
): Status => ({
  sync: { status: sync, revision, comparedTo: { source, destination: {} } },
  health: { status: health },
});
const outOfSync = compared("OutOfSync", "Healthy");
const done = compared("Synced", "Healthy");

const stateOf = (application: string, status: string, more: Partial<State> = {}): State => ({
  application,
  status,
  step: "1",
  message: "",
  targetRevisions: ["r1"],
  lastTransitionTime: earlier,
  ...more,
});

interface Sketch {
  steps?: readonly Step[];
  states?: readonly State[];
  apps: readonly Application[];
  desired?: readonly Application[];
  changing?: readonly string[];
  mayUpdate?: boolean;
}

function roll({ steps = [{}], states = [], apps, desired = apps, changing = [], mayUpdate = true }: Sketch) {
  const set = setOf(steps, states);
  return rollSet({ set, desired, owned: apps, changing: new Set(changing), mayUpdate, now });
}

const statusesOf = ({ states }: RollPlan) =>
  Object.fromEntries(states.map((one) => [one.application, one.status]));
const startedBy = ({ starts }: RollPlan) => starts.map(({ app }) => app.metadata.name);
const conditionOf = ({ conditions }: RollPlan, type: string) => {
  const found = conditions.find((one) => one.type === type);
  return `${found?.status} ${found?.reason}: ${found?.message}`;
};

test("steps match on the labels of the template: In needs the label, NotIn does not", () => {
  const steps = [
    inStage("dev", "test"),
    { matchExpressions: [{ key: "stage", operator: "NotIn", values: ["dev", "test", "late"] }] },
    {
      matchExpressions: [
        { key: "stage", operator: "In", values: ["late"] },
        { key: "team", operator: "NotIn", values: ["x"] },
      ],
    },
  ];
  const apps = [
    appOf("a", "dev"),
    appOf("b", "test"),
    appOf("c", undefined),
    appOf("d", "prod"),
    appOf("e", "late"),
  ];
  const { states } = roll({ steps, apps });
  assert.deepEqual(Object.fromEntries(states.map(({ application, step }) => [application, step])), {
    a: "1",
    b: "1",
    c: "2",
    d: "2",
    e: "3",
  });
});

test("another operator than In and NotIn is told, and selects nothing that has the label", () => {
  const steps = [
    { matchExpressions: [{ key: "stage", operator: "Exists" }] },
    { matchExpressions: [{ key: "stage", operator: "Gt" }] },
  ];
  const rolled = roll({ steps, apps: [appOf("a", "dev", outOfSync), appOf("b", "dev", outOfSync)] });
  assert.equal(
    conditionOf(rolled, "InvalidRolloutConfig"),
    "True ApplicationSetInvalidRolloutConfig: Steps 1, 2 have invalid matchExpression operators: Exists, Gt. Supported Operators are 'In' and 'NotIn'",
  );
  assert.deepEqual(statusesOf(rolled), { a: "Waiting", b: "Waiting" });
});

test("one that two steps select is in both, its place is the first, and that is told", () => {
  const states = [stateOf("a", "Healthy"), stateOf("b", "Waiting")];
  const rolled = roll({
    steps: [inStage("dev"), inStage("dev", "prod")],
    states,
    apps: [appOf("a", "dev", done), appOf("b", "prod", outOfSync)],
  });
  assert.deepEqual(
    rolled.states.map(({ step }) => step),
    ["1", "2"],
  );
  assert.equal(
    conditionOf(rolled, "InvalidRolloutConfig"),
    "True ApplicationSetInvalidRolloutConfig: Application 'a' is selected by multiple steps: (1-2)",
  );
  assert.deepEqual(startedBy(rolled), ["b"]);
});

test("one that matches no step has step -1, is never synced, and that is told", () => {
  const rolled = roll({
    steps: [inStage("dev")],
    states: [stateOf("a", "Healthy"), stateOf("z", "Waiting")],
    apps: [appOf("a", "dev", done), appOf("z", "other", outOfSync)],
  });
  assert.equal(rolled.states[1]?.step, "-1");
  assert.deepEqual(statusesOf(rolled), { a: "Healthy", z: "Waiting" });
  assert.deepEqual(startedBy(rolled), []);
  assert.equal(
    conditionOf(rolled, "InvalidRolloutConfig"),
    "True ApplicationSetInvalidRolloutConfig: Applications 'z' match no step: the set never syncs them",
  );
  assert.match(conditionOf(rolled, "RolloutProgressing"), /^False ApplicationSetRolloutComplete/);
});

test("what the set makes does not sync by itself; what was said of pruning counts for the sync that it starts", () => {
  const automated = { prune: true, selfHeal: true };
  const app = appOf("a", "dev", outOfSync);
  const wanted = { ...app, spec: { ...app.spec, syncPolicy: { automated, syncOptions: ["x=y"] } } };
  assert.deepEqual(withoutAutoSync(wanted).spec.syncPolicy?.automated, { ...automated, enabled: false });
  assert.equal(withoutAutoSync(app), app);
  const states = [stateOf("a", "Waiting")];
  const [start] = roll({ states, apps: [app], desired: [wanted] }).starts;
  assert.deepEqual(start?.operation, {
    initiatedBy: { username: "applicationset-controller", automated: true },
    info: [
      { name: "Reason", value: "ApplicationSet RollingSync triggered a sync of this Application resource" },
      { name: "RollingSync pending since", value: now },
    ],
    sync: { syncOptions: ["x=y"], prune: true },
    retry: { limit: 5 },
  });
  const off = { automated: { ...automated, enabled: false }, retry: { limit: 1 } };
  const manual = { ...app, spec: { ...app.spec, syncPolicy: off } };
  const [other] = roll({ states, apps: [app], desired: [manual] }).starts;
  assert.deepEqual([other?.operation.sync, other?.operation.retry], [{}, { limit: 1 }]);
});

test("a new one waits, is chosen once it has been compared, and not in the second in which it began to wait", () => {
  const fresh = roll({ apps: [appOf("a", "dev")] });
  assert.deepEqual(fresh.states, [
    {
      application: "a",
      status: "Waiting",
      step: "1",
      message: "No Application status found, defaulting status to Waiting",
      targetRevisions: [],
      lastTransitionTime: now,
    },
  ]);
  const seen = roll({
    states: [stateOf("a", "Waiting", { targetRevisions: [] })],
    apps: [appOf("a", "dev", outOfSync)],
  });
  assert.deepEqual([statusesOf(seen), seen.isEarly], [{ a: "Pending" }, false]);
  const early = roll({
    states: [stateOf("a", "Waiting", { lastTransitionTime: now })],
    apps: [appOf("a", "dev", outOfSync)],
  });
  assert.deepEqual([statusesOf(early), early.isEarly], [{ a: "Waiting" }, true]);
});

test("Pending becomes Progressing when a sync began after it, its own or another's", () => {
  const since = stateOf("a", "Pending");
  const state = (startedAt: string, phase: "Running" | "Succeeded" | "Failed", mark = ""): Status => ({
    ...outOfSync,
    operationState: {
      phase,
      startedAt,
      operation: {
        sync: {},
        ...(mark ? { info: [{ name: "RollingSync pending since", value: mark }] } : {}),
      },
    },
  });
  const facts: [Status, string, RegExp][] = [
    [outOfSync, "Pending", /^$/],
    [state("2025-12-31T23:58:00Z", "Succeeded"), "Pending", /^$/],
    [state(now, "Running"), "Progressing", /became Progressing, updating status from Pending/],
    [state(now, "Succeeded"), "Progressing", /completed a sync successfully/],
    [state(now, "Failed"), "Progressing", /completed a sync, updating/],
    [state(earlier, "Running", earlier), "Progressing", /became Progressing/],
    [state(earlier, "Succeeded", "2025-12-31T23:58:00Z"), "Pending", /^$/],
  ];
  for (const [status, wanted, message] of facts) {
    const [found] = roll({ states: [since], apps: [appOf("a", "dev", status)] }).states;
    assert.equal(found?.status, wanted);
    assert.match(found?.message ?? "", message);
  }
});

test("one that cannot be synced at all becomes Progressing once its operation is there", () => {
  const status: Status = { ...outOfSync, conditions: [{ type: "InvalidSpecError", message: "x" }] };
  const states = [stateOf("a", "Pending")];
  const first = roll({ states, apps: [appOf("a", "dev", status)] });
  assert.deepEqual([statusesOf(first), startedBy(first)], [{ a: "Pending" }, ["a"]]);
  const [{ operation = undefined } = {}] = first.starts;
  assert.ok(operation);
  const second = roll({ states, apps: [{ ...appOf("a", "dev", status), operation }] });
  assert.deepEqual([statusesOf(second), startedBy(second)], [{ a: "Progressing" }, []]);
});

test("Progressing becomes Healthy when it is healthy and synced, and not before", () => {
  const states = [stateOf("a", "Progressing")];
  for (const [status, wanted] of [
    [compared("Synced", "Progressing"), "Progressing"],
    [outOfSync, "Progressing"],
    [done, "Healthy"],
  ] as const)
    assert.deepEqual(statusesOf(roll({ states, apps: [appOf("a", "dev", status)] })), { a: wanted });
});

test("it waits again when its revision or its specification changes", () => {
  const states = [stateOf("a", "Healthy")];
  const moved = roll({
    steps: [inStage("x"), {}],
    states,
    apps: [appOf("a", "dev", compared("OutOfSync", "Healthy", "r2"))],
  });
  assert.deepEqual(moved.states[0], {
    ...stateOf("a", "Waiting"),
    step: "2",
    targetRevisions: ["r2"],
    lastTransitionTime: now,
    message: "Application has pending changes, setting status to Waiting",
  });
  const changed = roll({ states, apps: [appOf("a", "dev", done)], changing: ["a"] });
  assert.deepEqual(statusesOf(changed), { a: "Waiting" });
  assert.match(changed.states[0]?.message ?? "", /\(spec differs\)/);
  const several = { ...done, sync: { ...done.sync, status: "OutOfSync" as const, revisions: ["r1", "r9"] } };
  const both = roll({ states, apps: [appOf("a", "dev", several)], changing: ["a"] });
  assert.match(both.states[0]?.message ?? "", /\(revision and spec differ\)/);
  assert.deepEqual(both.states[0]?.targetRevisions, ["r1", "r9"]);
});

test("from Waiting what is synced already is Healthy or Progressing without a sync", () => {
  const states = [stateOf("a", "Waiting")];
  const healthy = roll({ states, apps: [appOf("a", "dev", done)] });
  assert.deepEqual([statusesOf(healthy), startedBy(healthy)], [{ a: "Healthy" }, []]);
  const starting = roll({ states, apps: [appOf("a", "dev", compared("Synced", "Progressing"))] });
  assert.deepEqual([statusesOf(starting), startedBy(starting)], [{ a: "Progressing" }, []]);
});

test("a verdict about another specification than it has now is none", () => {
  const old = {
    ...done,
    sync: {
      ...done.sync,
      status: "Synced" as const,
      comparedTo: { source: { ...source, path: "old" }, destination: {} },
    },
  };
  assert.deepEqual(
    statusesOf(roll({ states: [stateOf("a", "Progressing")], apps: [appOf("a", "dev", old)] })),
    {
      a: "Progressing",
    },
  );
});

test("the next step opens when every one of this step is there and Healthy", () => {
  const steps = [inStage("dev"), inStage("prod")];
  const [one, two, prod] = [
    appOf("one", "dev", done),
    appOf("two", "dev", done),
    appOf("prod", "prod", outOfSync),
  ];
  const waiting = stateOf("prod", "Waiting");
  const ready = [stateOf("one", "Healthy"), stateOf("two", "Healthy"), waiting];
  const open = roll({ steps, states: ready, apps: [one, two, prod] });
  assert.deepEqual([statusesOf(open).prod, startedBy(open)], ["Pending", ["prod"]]);
  assert.equal(
    conditionOf(open, "RolloutProgressing"),
    "True ApplicationSetModified: ApplicationSet is performing rollout of step 2",
  );
  const absent = roll({ steps, states: ready, apps: [one, prod], desired: [one, two, prod] });
  assert.equal(statusesOf(absent).prod, "Waiting");
  const slow = [stateOf("one", "Healthy"), stateOf("two", "Progressing"), waiting];
  const busy = roll({
    steps,
    states: slow,
    apps: [one, appOf("two", "dev", compared("Synced", "Progressing")), prod],
  });
  assert.deepEqual([statusesOf(busy).prod, startedBy(busy)], ["Waiting", []]);
  assert.match(conditionOf(busy, "RolloutProgressing"), /rollout of step 1$/);
  const empty = roll({ steps: [inStage("none"), ...steps], states: ready, apps: [one, two, prod] });
  assert.equal(statusesOf(empty).prod, "Pending");
  assert.match(
    conditionOf(empty, "InvalidRolloutConfig"),
    /: Steps \[1\] have no applications matching their criteria$/,
  );
});

test("maxUpdate: nothing is all, a share is rounded down but one at least, 0 none; who updates counts", () => {
  const names = ["a", "b", "c", "d", "e"];
  const apps = names.map((name) => appOf(name, "dev", outOfSync));
  const states = names.map((name) => stateOf(name, "Waiting"));
  const pending = (maxUpdate: number | string | undefined, before = states) => {
    const rolled = roll({ steps: [maxUpdate === undefined ? {} : { maxUpdate }], states: before, apps });
    return startedBy(rolled).join("");
  };
  assert.equal(pending(undefined), "abcde");
  assert.equal(pending(2), "ab");
  assert.equal(pending("50%"), "ab");
  assert.equal(pending("1%"), "a");
  assert.equal(pending("100%"), "abcde");
  assert.equal(pending("0%"), "");
  assert.equal(pending(0), "");
  const [first, ...others] = states;
  assert.equal(pending(2, [{ ...(first ?? stateOf("a", "")), status: "Progressing" }, ...others]), "b");
  const odd = roll({ steps: [{ maxUpdate: "some" }], states, apps });
  assert.deepEqual(startedBy(odd), ["a"]);
  assert.match(conditionOf(odd, "InvalidRolloutConfig"), /: Step 1 has an invalid maxUpdate value: some$/);
});

test("those that match no step are counted in the first step's totals", () => {
  const names = ["a", "b", "y", "z"];
  const apps = names.map((name) => appOf(name, name < "c" ? "dev" : "other", outOfSync));
  const states = names.map((name) => stateOf(name, "Waiting"));
  assert.deepEqual(startedBy(roll({ steps: [{ ...inStage("dev"), maxUpdate: "50%" }], states, apps })), [
    "a",
    "b",
  ]);
});

test("a failed sync is not tried again by the set", () => {
  const failed: Status = {
    ...outOfSync,
    operationState: { phase: "Failed", startedAt: later, operation: { sync: {} } },
  };
  const rolled = roll({ states: [stateOf("a", "Progressing")], apps: [appOf("a", "dev", failed)] });
  assert.deepEqual([statusesOf(rolled), startedBy(rolled)], [{ a: "Progressing" }, []]);
});

test("what is Pending is started once: not while an operation is there or runs, nor after it began", () => {
  const states = [stateOf("a", "Pending")];
  const start = (status: Status, more: object = {}) =>
    startedBy(roll({ states, apps: [{ ...appOf("a", "dev", status), ...more }] })).length;
  const { operation } = roll({ states, apps: [appOf("a", "dev", outOfSync)] }).starts[0] ?? {};
  assert.ok(operation);
  const state = (phase: "Running" | "Succeeded", startedAt: string, of = operation) => ({
    ...outOfSync,
    operationState: { phase, startedAt, operation: of },
  });
  assert.equal(start(outOfSync), 1);
  assert.equal(start(outOfSync, { operation }), 0);
  assert.equal(start(outOfSync, { operation: { sync: {} } }), 0);
  assert.equal(start(state("Running", earlier, { sync: {} })), 0);
  assert.equal(start(state("Succeeded", earlier)), 0);
  assert.equal(start(state("Succeeded", earlier, { sync: {} })), 1);
  const deleted = { metadata: { name: "a", labels: { stage: "dev" }, deletionTimestamp: now } };
  assert.equal(start(outOfSync, deleted), 0);
});

test("while a sync is under way nothing else is chosen for it, and it counts as updating", () => {
  const running: Status = {
    ...outOfSync,
    operationState: { phase: "Running", startedAt: later, operation: { sync: {} } },
  };
  const apps = [appOf("a", "dev", running), appOf("b", "dev", outOfSync)];
  const states = [stateOf("a", "Waiting"), stateOf("b", "Waiting")];
  assert.deepEqual(statusesOf(roll({ steps: [{ maxUpdate: 1 }], states, apps })), {
    a: "Waiting",
    b: "Waiting",
  });
});

test("a policy that lets the set change nothing starts nothing, and that is told", () => {
  const rolled = roll({
    states: [stateOf("a", "Waiting")],
    apps: [appOf("a", "dev", outOfSync)],
    mayUpdate: false,
  });
  assert.deepEqual(startedBy(rolled), []);
  assert.match(
    conditionOf(rolled, "InvalidRolloutConfig"),
    /lets it change no Application: the set starts no sync$/,
  );
});

test("a name in the status that the set does not control is dropped, and nothing is started there", () => {
  const rolled = roll({
    states: [stateOf("victim", "Pending"), stateOf("a", "Healthy")],
    apps: [appOf("a", "dev", done)],
  });
  assert.deepEqual([statusesOf(rolled), startedBy(rolled)], [{ a: "Healthy" }, []]);
});

test("in reverse order the last step goes first, one at a time; what matches no step is not part of it", () => {
  const steps = [inStage("dev"), inStage("prod")];
  assert.ok(deletesInReverse(setOf(steps, [], { deletionOrder: "reverse" })));
  assert.ok(!deletesInReverse(setOf(steps, [], { deletionOrder: "AllAtOnce" })));
  assert.ok(!deletesInReverse(setOf([], [], { deletionOrder: "Reverse" })));
  assert.ok(!deletesInReverse(setOf(steps, [], { type: "AllAtOnce", deletionOrder: "Reverse" })));
  let left = [appOf("a", "dev"), appOf("c", "prod"), appOf("b", "prod"), appOf("z", "other")];
  const gone: string[] = [];
  for (let next = nextDeletion(setOf(steps), left); next; next = nextDeletion(setOf(steps), left)) {
    const { name } = next.metadata;
    gone.push(name);
    left = left.filter((one) => one.metadata.name !== name);
  }
  assert.deepEqual(gone, ["b", "c", "a"]);
});
