import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isStatusCurrent } from "./is-status-current.ts";
import type { GlobalSubscription } from "./notification-entry.ts";
import { notifiedKey, printNotified, readNotified } from "./notified-state.ts";
import { planNotifications } from "./plan-notifications.ts";
import { readEntry } from "./read-entry.ts";
import { fullNameByRepoUrl, repoUrlToHttps } from "./repo-names.ts";
import { type Defaults, destinationsOf } from "./subscriptions.ts";

const none: Defaults & { subscriptions: readonly GlobalSubscription[] } = {
  subscriptions: [],
  defaultTriggers: [],
  serviceDefaultTriggers: new Map(),
};

describe("keys of argocd-notifications-cm", () => {
  test("a service's secrets stand where they are named, in texts alone, and what lacks is told", () => {
    const text = "token: $slack-token\nurl: https://$host/x$lost\nretryMax: 3\n$host: true\n";
    const entry = readEntry("service.slack.team", text, { "slack-token": "12345", host: "h" });
    assert.deepEqual(entry, {
      kind: "service",
      setting: {
        type: "slack",
        name: "team",
        config: { token: "12345", url: "https://h/x$lost", retryMax: 3, h: true },
        lacking: ["$lost"],
      },
    });
  });

  test("a service without a name is called as its type", () => {
    const entry = readEntry("service.email", "host: x", {});
    assert.equal(entry?.kind === "service" && entry.setting.name, "email");
  });

  test("names of triggers and templates may have dots", () => {
    const entry = readEntry("trigger.on.x", "- when: app.x\n  oncePer: app.y\n  send: [a]\n", {});
    assert.deepEqual(entry, {
      kind: "trigger",
      name: "on.x",
      conditions: [{ when: "app.x", oncePer: "app.y", description: "", send: ["a"] }],
    });
    assert.equal(readEntry("template.a.b", "message: x", {})?.kind, "template");
  });

  const broken: readonly (readonly [key: string, text: string, problem: RegExp])[] = [
    ["trigger.a", "- when: [x\n", /trigger\.a.*line 2/s],
    ["trigger.a", "when: x", /it is no list of conditions/],
    ["trigger.a", "- when: x\n  send: name", /it is no list of names of templates in condition 1: send/],
    ["trigger.a", "- when: {}", /condition 1: when is no text/],
    ["template.a", "- x", /it is no map/],
    ["subscriptions", "- selector: 'a in'", /./],
    ["service.a.b.c", "{}", /a service's key is service\.<type>/],
    ["context", "a: {}", /a is no text/],
    ["defaultTriggers", "x", /it is no list of names of triggers/],
  ];
  for (const [key, text, problem] of broken)
    test(`${key} that says ${JSON.stringify(text)} is refused with what is wrong`, () =>
      assert.throws(() => readEntry(key, text, {}), problem));

  test("numbers and booleans where a text is wanted are texts, as sigs.k8s.io/yaml reads them", () => {
    const entry = readEntry("trigger.a", "- when: true\n  oncePer: 3", {});
    assert.deepEqual(entry?.kind === "trigger" && entry.conditions[0], {
      when: "true",
      oncePer: "3",
      description: "",
      send: [],
    });
  });

  test("of other keys nothing is read", () => assert.equal(readEntry("other", "x: [", {}), undefined));
});

describe("subscriptions", () => {
  const prefix = "notifications.argoproj.io";
  const named = (annotations: Record<string, string>, config: Partial<typeof none> = {}) =>
    Object.fromEntries(
      [
        ...destinationsOf({ labels: {}, annotations, projectAnnotations: undefined }, { ...none, ...config }),
      ].map(([trigger, all]) => [trigger, all.map(({ service, recipient }) => `${service}>${recipient}`)]),
    );
  const defaults = {
    defaultTriggers: ["d1", "d2"],
    serviceDefaultTriggers: new Map([["email", ["e"]]]),
  };

  test("recipients stand between semicolons, an empty text is one without a name", () => {
    assert.deepEqual(named({ [`${prefix}/subscribe.on-x.slack`]: " a ;b;; a" }), {
      "on-x": ["slack>a", "slack>b"],
    });
    assert.deepEqual(named({ [`${prefix}/subscribe.on-x.hook`]: "" }), { "on-x": ["hook>"] });
    assert.deepEqual(named({ [`${prefix}/subscribe.on-x.hook`]: " ; " }), {});
  });

  test("without a trigger the default ones count, those of the service before those of all", () => {
    assert.deepEqual(
      named({ [`${prefix}/subscribe.slack`]: "a", [`${prefix}/subscribe.email`]: "m" }, defaults),
      {
        d1: ["slack>a"],
        d2: ["slack>a"],
        e: ["email>m"],
      },
    );
  });

  test("a list of triggers and destinations is read, one that is none subscribes nobody", () => {
    const list = `
- trigger: [t1, t2]
  destinations: [{service: slack, recipients: [a, b]}, {service: hook}]
- destinations: [{service: email, recipients: [m]}]
`;
    assert.deepEqual(named({ [`${prefix}/subscriptions`]: list }, defaults), {
      t1: ["slack>a", "slack>b"],
      t2: ["slack>a", "slack>b"],
      e: ["email>m"],
    });
    for (const text of ["", "x", "[", "- trigger: t1\n  destinations: []", "- 1"])
      assert.deepEqual(named({ [`${prefix}/subscriptions.x`]: text }, defaults), {});
  });

  test("global ones select by labels, and each recipient is told once", () => {
    const entry = readEntry(
      "subscriptions",
      "- recipients: ['slack:a:x', hook]\n  triggers: [t]\n  selector: team=one\n- recipients: ['slack:b']\n",
      {},
    );
    assert.ok(entry?.kind === "subscriptions");
    const config = { ...none, ...defaults, subscriptions: entry.subscriptions };
    const of = (labels: Record<string, string>) =>
      [
        ...destinationsOf(
          {
            labels,
            annotations: { [`${prefix}/subscribe.t.slack`]: "a;c" },
            projectAnnotations: {
              [`${prefix}/subscribe.t.slack`]: "c",
              "t.recipients.argocd-notifications.argoproj.io": "slack:d, hook",
            },
          },
          config,
        ),
      ].map(
        ([trigger, all]) =>
          `${trigger} ${all.map(({ service, recipient }) => service + recipient).join(" ")}`,
      );
    assert.deepEqual(of({ team: "one" }), ["d1 slackb", "d2 slackb", "t slacka hook slackc slackd"]);
    assert.deepEqual(of({}), ["d1 slackb", "d2 slackb", "t slacka slackc slackd hook"]);
  });
});

describe("what was told", () => {
  const result = { key: "[0].hash", oncePer: "", templates: ["x"], holds: true };
  const to = { service: "slack", recipient: "#a" };

  test("has the names that notifications-engine gives it", () => {
    assert.equal(notifiedKey({ trigger: "t", result, to }), "t:[0].hash:slack:#a");
    assert.equal(
      notifiedKey({ trigger: "t", result: { ...result, oncePer: "r" }, to }),
      "r:t:[0].hash:slack:#a",
    );
    assert.equal(
      notifiedKey({ trigger: "t", result: { ...result, oncePer: "r" }, to, configNamespace: "ns" }),
      "r:ns:t:[0].hash:slack:#a",
    );
  });

  test("is written as Go's encoding/json writes it, and a hundred of the newest stay", () => {
    assert.equal(
      printNotified(
        new Map([
          ["b<&>", 2],
          ["a\u2028", 1],
        ]),
      ),
      '{"a\\u2028":1,"b\\u003c\\u0026\\u003e":2}',
    );
    assert.equal(printNotified(new Map()), undefined);
    const many = new Map(Array.from({ length: 150 }, (_, index) => [`k${index}`, index]));
    const kept = readNotified(printNotified(many));
    assert.equal(kept.size, 100);
    assert.ok(kept.has("k149") && kept.has("k50") && !kept.has("k49"));
  });

  test("that is not as it should be says nothing", () => {
    for (const text of [undefined, "", "x", "[]", '{"a":"1"}', '{"a":1.5}', "null"])
      assert.equal(readNotified(text).size, 0);
  });

  test("is forgotten when its condition no longer holds, but not what is told once for a value", () => {
    const plan = (holds: boolean, oncePer: string, state: ReadonlyMap<string, number>) =>
      planNotifications({
        trigger: "t",
        results: [{ ...result, holds, oncePer }],
        destinations: [to],
        state,
      });
    const plain = new Map([["t:[0].hash:slack:#a", 1]]);
    const once = new Map([["r:t:[0].hash:slack:#a", 1]]);
    assert.deepEqual(plan(true, "", plain), { deliveries: [], forgotten: [] });
    assert.deepEqual(plan(false, "", plain).forgotten, ["t:[0].hash:slack:#a"]);
    assert.deepEqual(plan(false, "", once).forgotten, []);
    assert.deepEqual(plan(true, "r", once).deliveries, []);
    assert.equal(plan(true, "s", once).deliveries[0]?.key, "s:t:[0].hash:slack:#a");
  });
});

test("a status of before the end of the last operation is not judged", () => {
  const of = (phase: string, finishedAt?: string, rest: object = {}) =>
    isStatusCurrent({ operationState: { phase, ...(finishedAt ? { finishedAt } : {}) }, ...rest });
  const [early, late] = ["2024-01-01T00:00:00Z", "2024-01-01T00:00:01Z"];
  assert.ok(isStatusCurrent(undefined));
  assert.ok(isStatusCurrent({}));
  assert.ok(of("Running"));
  assert.ok(!of("Succeeded"));
  assert.ok(!of("Failed", late));
  assert.ok(!of("Succeeded", late, { reconciledAt: early }));
  assert.ok(of("Succeeded", late, { reconciledAt: late }));
  assert.ok(of("Error", late, { reconciledAt: early, observedAt: late }));
});

test("addresses of repositories become pages and names", () => {
  assert.equal(
    repoUrlToHttps("git@github.com:argoproj/argo-cd.git"),
    "https://github.com/argoproj/argo-cd.git",
  );
  assert.equal(repoUrlToHttps("ssh://git@h.example:22/a/b"), "https://h.example:22/a/b");
  assert.equal(repoUrlToHttps("https://user:pw@h.example/a/b.git"), "https://h.example/a/b.git");
  assert.equal(fullNameByRepoUrl("git@github.com:argoproj/argo-cd.git"), "argoproj/argo-cd");
  assert.equal(fullNameByRepoUrl("https://h.example/a/b/c"), "a/b");
  assert.equal(fullNameByRepoUrl("https://h.example/a.git"), "/a");
});
