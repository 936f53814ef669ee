import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ApiWorld, eventually, openApiWorld, realClock } from "@capstan/testkit";
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
