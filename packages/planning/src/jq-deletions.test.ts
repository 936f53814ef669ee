import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { type DiffRules, defaultDiffRules, diffManifest } from "@capstan/engine";
import type { Clock } from "@capstan/flow";
import { JqThread } from "@capstan/jq";
import { readSettings } from "@capstan/kube";
import type { Manifest, ResourceIgnoreDifferences } from "@capstan/model";
import { ScriptError } from "@capstan/script-thread";
import { JqDeletions, type RuleUse } from "./jq-deletions.ts";
import { respectIgnoredFields } from "./respect-ignored-fields.ts";

const realTime: Clock = { now: () => Date.now(), sleep: (ms, signal) => wait(ms, undefined, { signal }) };
const jq = new JqThread({ clock: realTime });
const { signal } = new AbortController();
after(() => jq[Symbol.asyncDispose]());

/** Nobody is ended by a busy machine. */
function settingsOf(time = "60s") {
  const metadata = { name: "argocd-cmd-params-cm", namespace: "argocd" };
  const data = { "controller.ignore.normalizer.jq.timeout": time };
  return { current: readSettings([{ apiVersion: "v1", kind: "ConfigMap", metadata, data }], []) };
}

function world({
  evaluate = jq.evaluate.bind(jq),
  time,
}: Partial<Pick<JqThread, "evaluate">> & { time?: string } = {}) {
  const ran: { expression: string; objects: number; timeMs: number | undefined }[] = [];
  const clock = { nowMs: 0 };
  const deletions = new JqDeletions({
    settings: settingsOf(time),
    clock: { now: () => clock.nowMs, sleep: () => Promise.resolve() },
    jq: {
      evaluate: (request, until) => {
        const { expression, objects, timeMs } = request;
        if (objects.length > 0) ran.push({ expression, objects: objects.length, timeMs });
        return evaluate(request, until);
      },
    },
  });
  return { deletions, ran, clock };
}

const deployment = (spec: Record<string, unknown>, name = "web"): Manifest => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace: "web" },
  spec,
});

function useOf(...ignoreDifferences: ResourceIgnoreDifferences[]): RuleUse {
  return { asker: "app", own: ignoreDifferences.length, rules: { ...defaultDiffRules, ignoreDifferences } };
}

const byJq = (...jqPathExpressions: string[]): ResourceIgnoreDifferences => ({
  group: "apps",
  kind: "Deployment",
  jqPathExpressions,
});

const verdict = (target: Manifest, live: Manifest) => (rules: DiffRules) =>
  diffManifest(target, live, rules).verdict;

test("what an expression names is no difference, on either side", async () => {
  const { deletions } = world();
  const containers = (image: string) => ({
    containers: [
      { name: "main", image: "a:1" },
      { name: "side", image },
    ],
  });
  const pair = verdict(deployment(containers("b:1")), deployment(containers("b:2")));
  const other = '.spec.containers[] | select(.name == "main").image';
  const cases: [ResourceIgnoreDifferences[], string][] = [
    [[byJq('.spec.containers[] | select(.name == "side").image')], "same"],
    [[byJq(other)], "modified"],
    [[byJq(other, ".spec.containers[1]")], "same"],
    [[{ ...byJq(".spec"), kind: "StatefulSet" }], "modified"],
    [[byJq('select(.metadata.name == "web") | .spec')], "same"],
    [[byJq('select(.metadata.name == "api") | .spec')], "modified"],
    [[byJq(".spec.containers.name"), byJq(".nothing[0]")], "modified"],
  ];
  for (const [rules, expected] of cases)
    assert.equal(await deletions.settled(useOf(...rules), pair, signal), expected, JSON.stringify(rules));
});

test("each expression sees what those before it have left, over all rules", async () => {
  const { deletions } = world();
  const of = (...list: string[]) => deployment({ list });
  const pair = verdict(of("a", "b", "c"), of("x", "y", "c"));
  const twice = useOf(byJq(".spec.list[0]"), { ...byJq(".spec.list[0]"), kind: "Dep*" });
  assert.equal(await deletions.settled(twice, pair, signal), "same");
  assert.equal(await deletions.settled(useOf(byJq(".spec.list[0]")), pair, signal), "modified");
  assert.equal(await deletions.settled(useOf(byJq(".spec.list[0]", ".spec.list[0]")), pair, signal), "same");
});

test("an unchanged object is not evaluated again, and many are one run", async () => {
  const { deletions, ran } = world();
  const use = useOf(byJq(".spec.replicas"));
  const pairs = Array.from({ length: 20 }, (_, at) => at);
  const all = (rules: DiffRules) =>
    pairs.map(
      (at) =>
        diffManifest(deployment({ replicas: 1 }, `${at}`), deployment({ replicas: at + 2 }, `${at}`), rules)
          .verdict,
    );
  const settled = () => deletions.settled(use, all, signal);
  assert.deepEqual(new Set(await settled()), new Set(["same"]));
  assert.deepEqual(ran, [{ expression: ".spec.replicas", objects: 40, timeMs: 60_000 }]);
  await settled();
  assert.equal(ran.length, 1);
  pairs.push(20);
  await settled();
  assert.deepEqual(ran[1], { expression: ".spec.replicas", objects: 2, timeMs: 60_000 });
});

test("a sync that respects what is ignored leaves it as it lives", async () => {
  const { deletions } = world();
  const respect = (rules: DiffRules) =>
    respectIgnoredFields(
      deployment({ replicas: 1, list: [{ name: "a", value: 1 }], paused: false }),
      deployment({ replicas: 5, list: [{ name: "a", value: 2 }], paused: true }),
      rules,
    ).spec;
  const use = useOf(byJq('.spec.list[] | select(.name == "a").value', ".spec.replicas"));
  assert.deepEqual(await deletions.settled(use, respect, signal), {
    replicas: 5,
    list: [{ name: "a", value: 2 }],
    paused: false,
  });
});

test("what is no expression is told with its field, whether an object has it or not", async () => {
  const { deletions } = world();
  const use = { ...useOf(byJq(".spec"), byJq(".spec", ".spec[")), own: 1 };
  await assert.rejects(
    deletions.settled(use, () => 1, signal),
    (error: Error) => {
      assert.match(
        error.message,
        /^ConfigMap argocd-cm is invalid: resource\.customizations\.ignoreDifferences\.apps_Deployment/,
      );
      assert.match(error.message, /"\.spec\[" cannot be evaluated: syntax error, unexpected/);
      return true;
    },
  );
  await assert.rejects(
    deletions.settled(useOf(byJq(".spec"), byJq(".spec", "nothing(1)")), () => 1, signal),
    /spec\.ignoreDifferences\[1\]\.jqPathExpressions\[1\].*nothing\/1 is not defined/,
  );
  await assert.rejects(
    deletions.settled(useOf(byJq(".")), verdict(deployment({}), deployment({ a: 1 })), signal),
    /names the whole object/,
  );
});

test("what overran is told and left alone for a growing while, for this application alone", async () => {
  let calls = 0;
  const { deletions, clock } = world({
    evaluate: ({ objects }) => {
      if (objects.length === 0) return Promise.resolve({ paths: [], tookMs: 1 });
      calls += 1;
      return Promise.reject(new ScriptError("time", "the expression took more than 1 s and was ended"));
    },
  });
  const use = useOf(byJq(".spec | last(repeat(.))"));
  const settle = (asker: string) =>
    deletions.settled({ ...use, asker }, verdict(deployment({}), deployment({ a: 1 })), signal);
  const late = /spec\.ignoreDifferences\[0\]\.jqPathExpressions\[0\].*took more than 1 s/;
  for (let at = 0; at < 3; at += 1) await assert.rejects(settle("app"), late);
  assert.equal(calls, 1);
  await assert.rejects(settle("other"), late);
  assert.equal(calls, 2);
  clock.nowMs = 20_000;
  await assert.rejects(settle("app"), late);
  assert.equal(calls, 3);
});

test("all that one comparison evaluates is bounded together", async () => {
  const { deletions, ran } = world({
    time: "1s",
    evaluate: ({ objects }) =>
      Promise.resolve({ paths: objects.map(() => []), tookMs: objects.length ? 900 : 0 }),
  });
  const use = useOf(byJq(...Array.from({ length: 50 }, (_, at) => `.a${at}`)));
  await assert.rejects(
    deletions.settled(use, verdict(deployment({}), deployment({ a: 1 })), signal),
    /took more than 5 s together/,
  );
  assert.equal(ran.length, 6);
});
