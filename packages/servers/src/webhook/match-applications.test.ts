import assert from "node:assert/strict";
import { test } from "node:test";
import type { Application, ApplicationSource } from "@capstan/model";
import { matchApplications } from "./match-applications.ts";
import type { PushEvent } from "./push-event.ts";
import { repositoryIdentity } from "./repository-identity.ts";

const url = "https://git.example/team/apps";
const push: PushEvent = { urls: [url], ref: "refs/heads/main", touchedHead: true, changedFiles: undefined };

function app(
  name: string,
  source: Partial<ApplicationSource>,
  annotations: Record<string, string> = {},
): Application {
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name, namespace: "argocd", annotations },
    spec: { project: "default", source: { repoURL: url, ...source }, destination: { namespace: name } },
  };
}

function matched(event: PushEvent, apps: Application[]): { first: string[]; rest: string[] } {
  const { first, rest } = matchApplications(event, apps);
  return { first: first.map((one) => one.metadata.name), rest: rest.map((one) => one.metadata.name) };
}

const same: [string, string][] = [
  ["https://github.com/Team/Apps.git", "git@github.com:team/apps"],
  ["https://user@git.example:8443/team/apps/", "ssh://git@ssh.git.example:22/team/apps.git"],
  ["ssh://git@altssh.bitbucket.org:443/team/apps", "https://bitbucket.org/team/apps"],
  ["https://org@dev.azure.com/org/team/_git/apps", "git@ssh.dev.azure.com:v3/org/team/apps"],
  ["file:///srv/git/apps.git", "/srv/git/apps"],
];

for (const [left, right] of same) {
  test(`${left} and ${right} are one repository`, () => {
    assert.equal(repositoryIdentity(left), repositoryIdentity(right));
  });
}

test("other hosts and other paths are other repositories", () => {
  const identities = new Set(
    ["https://a.example/t/x", "https://b.example/t/x", "https://a.example/t/x2", "file:///t/x"].map(
      repositoryIdentity,
    ),
  );
  assert.equal(identities.size, 4);
});

test("a push reaches the applications that follow its branch", () => {
  const apps = [
    app("head", {}),
    app("named", { targetRevision: "main" }),
    app("full", { targetRevision: "refs/heads/main" }),
    app("other", { targetRevision: "stable" }),
    app("elsewhere", { repoURL: "https://git.example/team/other" }),
    app("pinned", { targetRevision: "1".repeat(40) }),
    app("constraint", { targetRevision: "1.*" }),
  ];
  assert.deepEqual(matched(push, apps).first, ["head", "named", "full"]);
  assert.deepEqual(matched({ ...push, ref: "refs/heads/stable", touchedHead: false }, apps).first, ["other"]);
  assert.deepEqual(matched({ ...push, ref: "refs/tags/1.2.0", touchedHead: false }, apps).first, [
    "constraint",
  ]);
});

test("each of several sources counts", () => {
  const several = app("several", {});
  several.spec.sources = [
    { repoURL: "https://git.example/team/values", ref: "v" },
    { repoURL: url, path: "x" },
  ];
  assert.deepEqual(matched(push, [several]).first, ["several"]);
});

test("with the changed files known, applications that have one in their folder go first", () => {
  const event = { ...push, changedFiles: ["web/app.yaml"] };
  const apps = [app("web", { path: "web" }), app("website", { path: "website" }), app("root", { path: "." })];
  assert.deepEqual(matched(event, apps), { first: ["web", "root"], rest: ["website"] });
});

test("manifest-generate-paths decides alone", () => {
  const event = { ...push, changedFiles: ["shared/base.yaml"] };
  const declared = (paths: string) => ({ "argocd.argoproj.io/manifest-generate-paths": paths });
  const apps = [
    app("no", { path: "web" }, declared(".")),
    app("relative", { path: "web" }, declared(".;../shared")),
    app("absolute", { path: "web" }, declared("/shared")),
    app("glob", { path: "web" }, declared("/*/base.yaml")),
    app("broken", { path: "web" }, declared("/[")),
  ];
  assert.deepEqual(matched(event, apps), { first: ["relative", "absolute", "glob"], rest: [] });
});

test("addresses and declared patterns that would take long are looked at in linear time", () => {
  const slashes = `https://git.example/${"/".repeat(1_000_000)}x`;
  assert.ok(repositoryIdentity(slashes).endsWith("x"));
  const declared = { "argocd.argoproj.io/manifest-generate-paths": `/${"*a".repeat(2000)}x` };
  const event = { ...push, changedFiles: ["a".repeat(5000)] };
  assert.deepEqual(matched(event, [app("slow", { path: "web" }, declared)]).first, []);
  const many = { "argocd.argoproj.io/manifest-generate-paths": Array(2000).fill("/*b").join(";") };
  const files = Array.from({ length: 10_000 }, (_, index) => `a${index}`);
  assert.deepEqual(matched({ ...push, changedFiles: files }, [app("many", {}, many)]).first, ["many"]);
  const long = { "argocd.argoproj.io/manifest-generate-paths": "x;".repeat(10_000) };
  assert.deepEqual(matched(event, [app("long", {}, long)]).first, ["long"]);
});

test("an application that is left alone is asked nothing by a push", () => {
  const skipped = { "argocd.argoproj.io/skip-reconcile": "true" };
  const apps = [app("left", { path: "a" }, skipped), app("looks", { path: "a" })];
  assert.deepEqual(matched(push, apps), { first: ["looks"], rest: [] });
  assert.deepEqual(matched({ ...push, changedFiles: ["b/x"] }, apps), { first: [], rest: ["looks"] });
});
