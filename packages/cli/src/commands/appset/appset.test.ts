import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { eventually, realClock } from "@capstan/testkit";
import { type ApiWorld, openApiWorld } from "@capstan/testkit/worlds";
import { runMain } from "../../test-main.ts";

const set = (path: string) => `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: shops}
spec:
  generators:
  - list:
      elements: [{name: one}, {name: two}]
  template:
    metadata: {name: '{{name}}'}
    spec:
      project: default
      source: {repoURL: 'https://git.example/apps', path: ${path}, targetRevision: main}
      destination: {server: 'https://kubernetes.default.svc', namespace: web}
`;

describe("capstan appset", () => {
  let api: ApiWorld;
  before(async () => {
    api = await openApiWorld();
  });
  after(() => api[Symbol.asyncDispose]());

  const appset = (argv: readonly string[], input = "") =>
    runMain(["appset", ...argv, "--server", api.url, "--auth-token", api.token], { clock: realClock, input });

  test("a set is created, changed, shown and deleted as argocd says it", async () => {
    const created = await appset(["create", "-"], set("web"));
    assert.deepEqual([created.code, created.err], [0, "ApplicationSet 'shops' created\n"]);
    assert.match(created.out, /^Name: {15}argocd\/shops\nProject: {12}default\n/);
    assert.equal(
      (await appset(["create", "-", "--upsert"], set("web"))).err,
      "ApplicationSet 'shops' unchanged\n",
    );
    assert.equal(
      (await appset(["create", "-", "--upsert"], set("api"))).err,
      "ApplicationSet 'shops' updated\n",
    );
    assert.equal((await appset(["list", "-o", "name"])).out, "argocd/shops\n");
    assert.match(
      (await appset(["list"])).out,
      /\nargocd\/shops +default +nil +.* https:\/\/git\.example\/apps +api +main\n$/,
    );
    assert.match((await appset(["get", "shops"])).out, / {2}Path: +api\nSyncPolicy: {9}<none>\n/);
    assert.equal((await appset(["delete", "shops"])).out, "applicationset 'shops' deleted\n");
    assert.equal((await appset(["get", "shops"])).code, 20);
  });

  test("deletions are allowed by a code; where nothing is held that is said", async () => {
    await appset(["create", "-", "--upsert"], set("web"));
    assert.equal(
      (await appset(["allow-deletion", "shops"])).out,
      "ApplicationSet 'shops' holds no deletions\n",
    );
    assert.match((await appset(["allow-deletion", "shops", "18"])).err, /"18" is no such code/);
    const code = `18-${"ab".repeat(10)}`;
    const refused = await appset(["allow-deletion", "shops", code]);
    assert.deepEqual([refused.code, /holds no deletions now/.test(refused.err)], [20, true]);
    const ref = {
      apiVersion: "argoproj.io/v1alpha1",
      kind: "ApplicationSet",
      namespace: "argocd",
      name: "shops",
    };
    const message = `18 of 20: capstan appset allow-deletion argocd/shops ${code}`;
    const conditions = [{ type: "DeletionHeld", status: "True", reason: "DeletionBudgetExceeded", message }];
    await api.world.kube.patch(
      ref,
      { type: "merge", body: { status: { conditions } } },
      { signal: AbortSignal.timeout(60_000), subresource: "status" },
    );
    const allowed = await eventually(
      async () => {
        const given = await appset(["allow-deletion", "shops", code]);
        return given.code === 0 ? given.out : undefined;
      },
      { signal: AbortSignal.timeout(60_000), describe: () => "it is refused" },
    );
    assert.equal(allowed, "ApplicationSet 'shops' may delete 18 Applications once, within a day\n");
  });

  test("diff shows what would be created, updated and deleted, and says what cannot be found out", async () => {
    const { kube } = api.world;
    const limit = () => AbortSignal.timeout(60_000);
    await appset(["create", "-", "--upsert"], set("web"));
    const ref = {
      apiVersion: "argoproj.io/v1alpha1",
      kind: "ApplicationSet",
      namespace: "argocd",
      name: "shops",
    };
    const stored = await kube.get(ref, limit());
    const owner = { ...ref, uid: stored?.metadata.uid ?? "", controller: true, blockOwnerDeletion: true };
    const { namespace, ...ownerReference } = owner;
    const app = (name: string) => ({
      apiVersion: "argoproj.io/v1alpha1",
      kind: "Application",
      metadata: {
        ...{ name, namespace },
        finalizers: ["resources-finalizer.argocd.argoproj.io"],
        ownerReferences: [ownerReference],
      },
      spec: {
        project: "default",
        source: { repoURL: "https://git.example/apps", path: "old", targetRevision: "main" },
        destination: { server: "https://kubernetes.default.svc", namespace: "web" },
      },
    });
    for (const name of ["one", "three"]) await kube.create(app(name), { signal: limit() });
    const shown = await eventually(
      async () => {
        const found = await appset(["diff", "shops"]);
        return found.err.includes("create 1, update 1, delete 1") ? found : undefined;
      },
      { signal: limit(), describe: () => "it shows something else" },
    );
    assert.equal(shown.code, 1);
    assert.match(
      shown.out,
      /===== Application argocd\/one: updated ======\n.*\n-( *)path: old\n\+\1path: web\n/s,
    );
    assert.match(shown.out, /===== Application argocd\/two: created ======\n--- live\n\+\+\+ set\n/);
    assert.match(shown.out, /===== Application argocd\/three: deleted ======\n/);
    const { code, out } = await appset(["diff", "-", "-o", "json"], set("old"));
    assert.equal(code, 1);
    const [{ applicationSet, changes }]: [
      { applicationSet: string; changes: { act: string; name: string }[] },
    ] = JSON.parse(out);
    assert.equal(applicationSet, "shops");
    assert.deepEqual(
      changes.map(({ act, name }) => `${act} ${name}`),
      ["create two", "delete three"],
    );
    const generators = "- git: {repoURL: 'https://git.example/x', directories: [{path: '*'}]}\n  template:";
    const unread = set("web").replace(/- list:.*?template:/s, generators);
    const failed = await appset(["diff", "-"], unread);
    assert.deepEqual([failed.code, failed.out], [2, ""]);
    assert.match(failed.err, /^error: .*generators\[0\].*git https:\/\/git\.example\/x/);
    assert.equal((await appset(["diff", "absent"])).code, 2);
    const { items } = await kube.list(
      { apiVersion: ref.apiVersion, kind: "Application", namespace },
      limit(),
    );
    assert.deepEqual(
      items.map(({ metadata }) => metadata.name),
      ["one", "three"],
      "nothing is changed",
    );
    for (const name of ["one", "three"])
      await kube.patch(
        { ...ref, kind: "Application", name },
        { type: "merge", body: { metadata: { finalizers: null, ownerReferences: null } } },
        { signal: limit() },
      );
  });

  test("a file without a set is told, and generate shows what a set would make or why it makes nothing", async () => {
    assert.match((await appset(["generate", "-"], "a: b\n")).err, /No ApplicationSets found/);
    assert.equal((await appset(["generate", "-"], `${set("web")}---\n${set("api")}`)).code, 1);
    const { code, out } = await appset(["generate", "-", "-o", "json"], set("web"));
    assert.equal(code, 0);
    const made: { metadata: { name: string }; spec: { source: { path: string } } }[] = JSON.parse(out);
    assert.deepEqual(
      made.map(({ metadata, spec }) => [metadata.name, spec.source.path]),
      [
        ["one", "web"],
        ["two", "web"],
      ],
    );
    const broken = await appset(["generate", "-"], set("web").replace("{name: two}", "{name: 2}"));
    assert.equal(broken.code, 20);
    assert.match(broken.err, /generators\[0\].*elements\[1\]\.name is no text/);
  });
});
