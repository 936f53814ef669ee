import assert from "node:assert/strict";
import { test } from "node:test";
import type { Manifest } from "@capstan/model";
import { readSettings } from "./read-settings.ts";
import type { Settings } from "./settings.ts";

const map = (data: Record<string, string>): Manifest[] => [
  { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "argocd-cm" }, data },
];
const read = (data: Record<string, string>, previous?: Settings) => readSettings(map(data), [], { previous });
const exclusions = "- kinds: [Secret]\n";

const mistakes: [string, string, RegExp][] = [
  ["no YAML", "- kinds: [Secret", /resource\.exclusions/],
  ["no list", "kinds: [Secret]", /is not a list/],
  [
    "a field that is none",
    "- kind: [Secret]",
    /\[0\]\.kind is not a field of a filter; did you mean kinds\?/,
  ],
  ["a text for a list", "- kinds: Secret", /\[0\]\.kinds is not a list/],
  ["a text for an entry", "- Secret", /\[0\] is not an object/],
];
for (const [fact, text, message] of mistakes) {
  test(`exclusions with a mistake leave those of before in force: ${fact}`, () => {
    const before = read({ "resource.exclusions": exclusions });
    const now = read({ "resource.exclusions": text }, before);
    assert.deepEqual(now.general.exclusions, before.general.exclusions);
    assert.match(now.problems.map(({ field, problem }) => `${field} ${problem}`).join("\n"), message);
    assert.equal(now.unreadable[0]?.isKept, true);
    const mended = read({ "resource.exclusions": "[]" }, now);
    assert.deepEqual([mended.general.exclusions, mended.unreadable], [[], []]);
  });
}

test("a mistake that was there from the beginning has no value of before, also after other changes", () => {
  const first = read({ "resource.exclusions": "x: y" });
  assert.equal(first.unreadable[0]?.isKept, false);
  const second = read({ "resource.exclusions": "x: y", url: "https://cd.example" }, first);
  assert.equal(second.unreadable[0]?.isKept, false);
  const third = read({ "resource.exclusions": exclusions }, second);
  const fourth = read({ "resource.exclusions": "x: y" }, third);
  assert.deepEqual(
    [fourth.unreadable[0]?.isKept, fourth.general.exclusions],
    [true, third.general.exclusions],
  );
});

test("actions that cannot be read hold nothing, wherever they are written; scripts of health do", () => {
  const block = (text: string) => read({ "resource.customizations": `Pod:\n${text}\n` });
  const { problems, unreadable } = block("  actions: |\n    definitions: [{ name: restart }]");
  assert.deepEqual(
    problems.map(({ field, problem }) => `${field} ${problem}`),
    ["resource.customizations: Pod: actions a definition has no name, or no action.lua"],
  );
  assert.deepEqual(unreadable, []);
  assert.equal(block("  health.lua: [1]").unreadable.length, 1);
});

const others: [string, Record<string, string>, Record<string, string>, (settings: Settings) => unknown][] = [
  [
    "differences to be ignored",
    { "resource.customizations.ignoreDifferences.apps_Deployment": "jsonPointers: [/spec/replicas]" },
    { "resource.customizations.ignoreDifferences.apps_Deployment": "jsonPointer: [/spec/replicas]" },
    ({ general }) => general.ignoreDifferences,
  ],
  [
    "the tracking method",
    { "application.resourceTrackingMethod": "label" },
    { "application.resourceTrackingMethod": "lable" },
    ({ general }) => general.tracking,
  ],
  [
    "impersonation",
    { "application.sync.impersonation.enabled": "true" },
    { "application.sync.impersonation.enabled": "ture" },
    ({ general }) => general.impersonation,
  ],
  [
    "the own cluster",
    { "cluster.inClusterEnabled": "false" },
    { "cluster.inClusterEnabled": "flase" },
    ({ general }) => general.inClusterEnabled,
  ],
];
for (const [fact, good, bad, value] of others) {
  test(`what can no longer be read stays as it was: ${fact}`, () => {
    const before = read(good);
    const now = read(bad, before);
    assert.deepEqual(value(now), value(before));
    assert.equal(now.unreadable[0]?.isKept, true);
    assert.equal(read(bad).unreadable[0]?.isKept, false);
  });
}

test("an admin.enabled that cannot be read lets nobody in", () => {
  assert.equal(read({ "admin.enabled": "flase" }).general.adminEnabled, false);
  assert.equal(read({}).general.adminEnabled, true);
});

const rbacMap = (data: Record<string, string>): Manifest => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "argocd-rbac-cm" },
  data,
});

test("claims and mode of the policy stay as they were while their values cannot be read", () => {
  const before = readSettings([rbacMap({ scopes: "[email]", "policy.matchMode": "regex" })], []);
  const bad = rbacMap({ scopes: "email: yes", "policy.matchMode": "regexp", "policy.default": "role:x" });
  const { rbac, problems } = readSettings([bad], [], { previous: before });
  assert.deepEqual([rbac.scopes, rbac.matchMode, rbac.defaultRole], [["email"], "regex", "role:x"]);
  assert.deepEqual(
    problems.map(({ field }) => field),
    ["scopes", "policy.matchMode"],
  );
  assert.deepEqual(readSettings([bad], []).rbac.scopes, []);
});

test("further policies follow policy.csv by their names", () => {
  const map = rbacMap({ "policy.b.csv": "b", "policy.csv": "c", "policy.a.csv": "a", "other.csv": "d" });
  const { policies } = readSettings([map], []).rbac;
  assert.deepEqual(
    policies.map(({ name, text }) => `${name} ${text}`),
    ["policy.csv c", "policy.a.csv a", "policy.b.csv b"],
  );
});

test("what a program's flags say stands over its keys, whether the ConfigMap is there or not", () => {
  const overlay = {
    "argocd-cm": { "users.anonymous.enabled": "true" },
    "argocd-rbac-cm": { "policy.default": "role:admin" },
  };
  const { general, rbac } = readSettings(
    map({ "users.anonymous.enabled": "false", url: "https://cd.example" }),
    [],
    {
      overlay,
    },
  );
  assert.deepEqual(
    [general.anonymousEnabled, general.url, rbac.defaultRole],
    [true, "https://cd.example", "role:admin"],
  );
});
