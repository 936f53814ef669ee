import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isRecord } from "@capstan/formats";
import type { Application } from "@capstan/model";
import {
  configMapText,
  createGitRepository,
  deploymentText,
  eventually,
  type GitRepository,
  isSettled,
  untilApplication,
} from "@capstan/testkit";
import { type ApiWorld, openApiWorld, untilObject } from "@capstan/testkit/worlds";

const secretText =
  "apiVersion: v1\nkind: Secret\nmetadata: {name: hidden, annotations: {token: token-of-it}}\nstringData: {password: top-secret-value}\n";

/** Its second stage is sensitive: it puts texts into a ConfigMap and into what Pods are made from. */
const sealed = `apiVersion: capstan.dev/v1alpha1
kind: Pipeline
metadata: {name: sealed}
spec:
  stages:
    - {plugin: directory, path: app}
    - {plugin: kustomize, path: patch, input: all.yaml, sensitive: true}
`;
const patch = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {password: top-secret-value}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: sealed}
spec: {template: {spec: {containers: [{name: main, env: [{name: URL, value: top-secret-value}]}]}}}
`;

describe("applications over REST", () => {
  let api: ApiWorld;
  let git: GitRepository;
  before(async () => {
    git = await createGitRepository({
      "web/config.yaml": configMapText("settings"),
      "web/deployment.yaml": deploymentText("web"),
      "web/secret.yaml": secretText,
      "two/config.yaml": configMapText("other"),
      "sealed/capstan.yaml": sealed,
      "sealed/app/config.yaml": configMapText("settings"),
      "sealed/app/deployment.yaml": deploymentText("sealed"),
      "sealed/patch/kustomization.yaml": "resources: [all.yaml]\npatches: [{path: patch.yaml}]\n",
      "sealed/patch/patch.yaml": patch,
    });
    api = await openApiWorld();
  });
  after(async () => {
    await api[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
  });

  const sketch = (name: string, path: string, extra: object = {}) => ({
    metadata: { name, labels: { team: path } },
    spec: {
      project: "default",
      source: { repoURL: git.url, path },
      destination: { server: "https://kubernetes.default.svc", namespace: name },
      syncPolicy: { syncOptions: ["CreateNamespace=true"] },
      ...extra,
    },
  });
  const create = (body: object, query = "") => api.request("POST", `/api/v1/applications${query}`, { body });
  const names = (body: unknown): string[] =>
    isRecord(body) && Array.isArray(body.items)
      ? body.items.map((item: Application) => item.metadata.name)
      : [];
  const text = (value: unknown): string => JSON.stringify(value);

  test("one is created, synced and shown", async () => {
    const created = await create(sketch("web", "web"));
    assert.equal(created.status, 200, text(created.body));
    const synced = await api.request("POST", "/api/v1/applications/web/sync", { body: {} });
    assert.equal(synced.status, 200, text(synced.body));
    await untilApplication(api.world.kube, "web", (view) => view.phase === "Succeeded" && isSettled(view));
    const { body } = await api.request("GET", "/api/v1/applications/web?refresh=normal");
    assert.ok(isRecord(body) && isRecord(body.status) && isRecord(body.status.sync));
    assert.equal(body.status.sync.status, "Synced");
    assert.match(text(body.status.resources), /"kind":"Deployment".*"health":\{"status":"Healthy"/);
  });

  test("one of a folder that was pushed a moment ago is accepted", async () => {
    await git.commit({ "fresh/config.yaml": configMapText("fresh") });
    const created = await create(sketch("fresh", "fresh"));
    assert.equal(created.status, 200, text(created.body));
  });

  test("the same again changes nothing, another specification needs upsert", async () => {
    assert.equal((await create(sketch("same", "two"))).status, 200);
    assert.equal((await create(sketch("same", "two"))).status, 200);
    const other = sketch("same", "two", { revisionHistoryLimit: 3 });
    const refused = await create(other);
    assert.equal(refused.status, 400);
    assert.match(text(refused.body), /existing application spec is different, use upsert/);
    const changed = await create(other, "?upsert=true");
    assert.equal(changed.status, 200);
    assert.match(text(changed.body), /"revisionHistoryLimit":3/);
  });

  const refusals: [string, () => object, RegExp][] = [
    ["a missing path", () => sketch("bad", "absent"), /absent: app path does not exist/],
    [
      "an unknown project",
      () => sketch("bad", "two", { project: "none" }),
      /project none which does not exist, or is not allowed in it/,
    ],
    [
      "an unknown cluster",
      () => sketch("bad", "two", { destination: { name: "nowhere", namespace: "x" } }),
      /there are no clusters with this name: \\"nowhere\\"/,
    ],
    [
      "an unknown repository",
      () => sketch("bad", "two", { source: { repoURL: "file:///no/such/repository", path: "x" } }),
      /no\/such\/repository/,
    ],
    ["no name", () => ({ metadata: {}, spec: {} }), /metadata\.name: is missing/],
  ];
  for (const [what, body, expected] of refusals) {
    test(`${what} is refused with what is wrong`, async () => {
      const { status, body: answer } = await create(body());
      assert.ok(status >= 400 && status < 504, `${status}`);
      assert.match(text(answer), expected);
    });
  }

  test("lists are filtered by label, project and repository, and cut to fields", async () => {
    assert.equal((await create(sketch("listed", "two"))).status, 200);
    const list = async (query: string) => (await api.request("GET", `/api/v1/applications?${query}`)).body;
    assert.ok(names(await list("selector=team%3Dtwo")).includes("listed"));
    assert.ok(!names(await list("selector=team%20notin%20(two)")).includes("listed"));
    assert.deepEqual(names(await list("project=none")), []);
    assert.ok(names(await list(`repo=${encodeURIComponent(`${git.url}.git`)}`)).includes("listed"));
    const cut = await list("selector=team%3Dtwo&fields=items.metadata.name");
    assert.ok(isRecord(cut) && Array.isArray(cut.items));
    assert.deepEqual(
      cut.items.find((item) => text(item).includes("listed")),
      { metadata: { name: "listed" } },
    );
    const bad = await api.request("GET", "/api/v1/applications?selector=a%20b");
    assert.equal(bad.status, 400);
  });

  test("one that does not exist is said so to those who may see all", async () => {
    const { status, body } = await api.request("GET", "/api/v1/applications/absent");
    assert.equal(status, 404);
    assert.match(text(body), /application \\"absent\\" does not exist/);
  });

  test("a patch and a new specification are checked before they are kept", async () => {
    assert.equal((await create(sketch("patched", "two"))).status, 200);
    const path = "/api/v1/applications/patched";
    const patch = (spec: object) =>
      api.request("PATCH", path, { body: { patch: text({ spec }), patchType: "merge" } });
    assert.equal((await patch({ revisionHistoryLimit: 7 })).status, 200);
    assert.equal((await patch({ source: { path: "absent" } })).status, 400);
    const { body } = await api.request("GET", path);
    assert.match(text(body), /"path":"two".*"revisionHistoryLimit":7/);
    const operations = [{ op: "replace", path: "/spec/revisionHistoryLimit", value: 8 }];
    const json = await api.request("PATCH", path, { body: { patch: text(operations), patchType: "json" } });
    assert.match(text(json.body), /"revisionHistoryLimit":8/);
  });

  test("the plan says what a sync would do, with each change, and hides secrets", async () => {
    await git.commit({ "web/config.yaml": configMapText("settings", "changed") });
    const { status, body } = await api.request("GET", "/api/v1/applications/web/sync-plan");
    assert.equal(status, 200, text(body));
    assert.ok(isRecord(body));
    assert.deepEqual(body.counts, { create: 0, update: 1, delete: 0, hook: 0, unchanged: 2 });
    assert.match(text(body.steps), /"path":"data\.key","desired":"\\"changed\\""/);
    const steps = Array.isArray(body.steps) ? body.steps : [];
    const change = steps.find(({ act }) => act === "update");
    const [before, after] = [JSON.parse(change.liveState), JSON.parse(change.predictedLiveState)];
    // What nobody asked to change stays, whoever has written it.
    assert.deepEqual([after.data.key, after.metadata.uid], ["changed", before.metadata.uid]);
    assert.ok(!text(body).includes("top-secret-value") && !text(body).includes("dG9wLXNlY3JldC12YWx1ZQ"));
  });

  test("no call shows a secret's value", async () => {
    const { kube, settings } = api.world;
    const settingsRef = { apiVersion: "v1", kind: "ConfigMap", namespace: "argocd", name: "argocd-cm" };
    const data = { "resource.sensitive.mask.annotations": "other, token" };
    await kube.patch(settingsRef, { type: "merge", body: { data } }, { signal: AbortSignal.timeout(60_000) });
    await eventually(() => settings.current.general.maskedAnnotations[1], {
      signal: AbortSignal.timeout(60_000),
      describe: () => "the setting is not read",
    });
    const values = /top-secret-value|dG9wLXNlY3JldC12YWx1ZQ|token-of-it/;
    for (const part of ["managed-resources", "manifests", "resource-tree", "server-side-diff", "sync-plan"]) {
      const { status, body } = await api.request("GET", `/api/v1/applications/web/${part}`);
      assert.equal(status, 200, text(body));
      assert.ok(!values.test(text(body)), part);
    }
    const query = "resourceName=hidden&namespace=web&kind=Secret&version=v1";
    const { body } = await api.request("GET", `/api/v1/applications/web/resource?${query}`);
    assert.match(text(body), /\+\+\+\+/);
    assert.ok(!values.test(text(body)));
    const patchPath = `/api/v1/applications/web/resource?${query}&patchType=application/json-patch%2Bjson`;
    for (const patch of [
      '{"value":"token-of-it"',
      '[{"op":"test","path":"/data/password","value":"token-of-it"}]',
    ]) {
      const refused = await api.request("POST", patchPath, { body: JSON.stringify(patch) });
      assert.equal(refused.status, 400, text(refused.body));
      assert.match(text(refused.body), /failed to patch Secret web\/hidden/);
      assert.ok(!values.test(text(refused.body)));
    }
    const label = JSON.stringify([{ op: "add", path: "/metadata/labels", value: { tried: "yes" } }]);
    const live = async () =>
      text((await api.request("GET", `/api/v1/applications/web/resource?${query}`)).body);
    const tried = await api.request("POST", `${patchPath}&dryRun=true`, { body: JSON.stringify(label) });
    assert.match(text(tried.body), /tried/);
    assert.ok(!(await live()).includes("tried"), "a dry run changes nothing");
    assert.equal((await api.request("POST", patchPath, { body: JSON.stringify(label) })).status, 200);
    assert.match(await live(), /tried/);
  });

  test("each side of a hook is JSON, as argocd app diff reads it before it leaves hooks out", async () => {
    const hook = configMapText("before", "1", { annotations: { "argocd.argoproj.io/hook": "PreSync" } });
    await git.commit({ "hooked/hook.yaml": hook, "hooked/config.yaml": configMapText("settings") });
    assert.equal((await create(sketch("hooked", "hooked"))).status, 200);
    await untilApplication(api.world.kube, "hooked", ({ sync }) => sync === "OutOfSync");
    const { body } = await api.request("GET", "/api/v1/applications/hooked/managed-resources");
    assert.ok(isRecord(body) && Array.isArray(body.items));
    const found = body.items.find(({ hook: isHook }) => isHook === true);
    const sides = ["targetState", "liveState", "normalizedLiveState", "predictedLiveState"];
    const [target, live, normalized] = sides.map((side) => JSON.parse(found[side]));
    assert.deepEqual([target.metadata.name, live, normalized], ["before", null, null]);
  });

  test("of what an application manages one asks for what differs, and for some of its fields", async () => {
    await git.commit({
      "partly/first.yaml": configMapText("first"),
      "partly/second.yaml": configMapText("second"),
      "partly/hook.yaml": configMapText("before", "1", {
        annotations: { "argocd.argoproj.io/hook": "PreSync" },
      }),
    });
    assert.equal((await create(sketch("partly", "partly"))).status, 200);
    assert.equal((await api.request("POST", "/api/v1/applications/partly/sync", { body: {} })).status, 200);
    await untilApplication(api.world.kube, "partly", (view) => view.phase === "Succeeded" && isSettled(view));
    await git.commit({
      "partly/second.yaml": configMapText("second", "2"),
      "partly/third.yaml": configMapText("third"),
    });
    await api.request("GET", "/api/v1/applications/partly?refresh=normal");
    await untilApplication(api.world.kube, "partly", ({ sync }) => sync === "OutOfSync");
    const asked = async (query: string) => {
      const { body } = await api.request("GET", `/api/v1/applications/partly/managed-resources${query}`);
      assert.ok(isRecord(body) && Array.isArray(body.items));
      return body.items;
    };
    const namesOf = async (query: string) => (await asked(query)).map(({ name }) => name).sort();
    assert.deepEqual(await namesOf(""), ["before", "first", "second", "third"]);
    assert.deepEqual(await namesOf("?differing=true"), ["second", "third"]);
    assert.deepEqual(await namesOf("?differing=true&resourceName=third"), ["third"]);
    const [second] = await asked("?resourceName=second&fields=items.name,items.predictedLiveState");
    assert.deepEqual(Object.keys(second), ["name", "predictedLiveState"]);
    const [whole] = await asked("?resourceName=second");
    assert.equal(second.predictedLiveState, whole.predictedLiveState);
    const [without] = await asked("?resourceName=second&fields=-items.liveState,items.targetState");
    assert.deepEqual(
      Object.keys(whole).filter((name) => !(name in without)),
      ["targetState", "liveState"],
    );
  });

  test("manifests that a person has synced are what should be there, for whoever asks too", async () => {
    await git.commit({ "brought/config.yaml": configMapText("brought") });
    assert.equal((await create(sketch("brought", "brought"))).status, 200);
    const config = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "brought", namespace: "web" },
      data: { from: "a person" },
    };
    const manifests = [JSON.stringify(config)];
    const path = "/api/v1/applications/brought";
    const asked = await api.request("POST", `${path}/sync`, { body: { manifests } });
    assert.equal(asked.status, 200, text(asked.body));
    await untilApplication(
      api.world.kube,
      "brought",
      (view) => view.phase === "Succeeded" && isSettled(view),
    );
    const { body } = await api.request("GET", `${path}/managed-resources`);
    assert.ok(isRecord(body) && Array.isArray(body.items));
    const [{ targetState, modified }] = body.items;
    assert.deepEqual([JSON.parse(targetState).data, modified], [config.data, false]);
  });

  test("no live object shows what a sensitive stage put into it, or into its owner", async () => {
    const created = await create(sketch("sealed", "sealed"));
    assert.equal(created.status, 200, text(created.body));
    assert.equal((await api.request("POST", "/api/v1/applications/sealed/sync", { body: {} })).status, 200);
    await untilApplication(api.world.kube, "sealed", (view) => view.phase === "Succeeded" && isSettled(view));
    const seen: string[] = [];
    for (const [apiVersion, kind] of [
      ["v1", "ConfigMap"],
      ["apps/v1", "Deployment"],
      ["apps/v1", "ReplicaSet"],
      ["v1", "Pod"],
    ] as const) {
      const { items } = await api.world.kube.list(
        { apiVersion, kind, namespace: "sealed" },
        AbortSignal.timeout(100_000),
      );
      const own = items.filter((item) => text(item).includes("top-secret-value"));
      for (const { metadata } of own) {
        const group = apiVersion.includes("/") ? "apps" : "";
        const query = `resourceName=${metadata.name}&namespace=sealed&group=${group}&kind=${kind}&version=v1`;
        const { body } = await api.request("GET", `/api/v1/applications/sealed/resource?${query}`);
        assert.match(text(body), /\+\+\+\+/, kind);
        assert.ok(!text(body).includes("top-secret-value"), kind);
        assert.match(text(body), kind === "ConfigMap" ? /key/ : /nginx:1\.27/, "the rest is shown");
        seen.push(kind);
      }
    }
    assert.deepEqual([...new Set(seen)], ["ConfigMap", "Deployment", "ReplicaSet", "Pod"]);
  });

  test("resources of the tree are read, restarted and deleted; others are not reached", async () => {
    const query = "resourceName=web&namespace=web&group=apps&kind=Deployment&version=v1";
    const path = "/api/v1/applications/web/resource";
    assert.equal((await api.request("GET", `${path}?${query}`)).status, 200);
    const restarted = await api.request("POST", `${path}/actions?${query}`, { body: '"restart"' });
    assert.equal(restarted.status, 200, text(restarted.body));
    const { body } = await api.request("GET", `${path}?${query}`);
    assert.match(text(body), /restartedAt/);
    const outside = "resourceName=argocd-secret&namespace=argocd&kind=Secret&version=v1";
    assert.equal((await api.request("GET", `${path}?${outside}`)).status, 404);
    const config = "resourceName=settings&namespace=web&kind=ConfigMap&version=v1";
    assert.equal((await api.request("DELETE", `${path}?${config}`)).status, 200);
    const ref = { apiVersion: "v1", kind: "ConfigMap", namespace: "web", name: "settings" };
    await untilObject(api.world, ref, (object) => object === undefined);
  });

  test("a rollback needs a deployment, and automated sync to be off", async () => {
    const none = await api.request("POST", "/api/v1/applications/web/rollback", { body: { id: 99 } });
    assert.equal(none.status, 400);
    assert.match(text(none.body), /no deployment with id 99; its history holds: 0/);
  });

  test("there is no operation to end when none runs", async () => {
    const { status, body } = await api.request("DELETE", "/api/v1/applications/web/operation");
    assert.equal(status, 400);
    assert.match(text(body), /no operation in progress/);
  });

  test("a deletion takes the resources along, or leaves them", async () => {
    const namespace = { apiVersion: "v1", kind: "ConfigMap", namespace: "gone", name: "other" };
    assert.equal((await create(sketch("gone", "two"))).status, 200);
    await api.request("POST", "/api/v1/applications/gone/sync", { body: {} });
    await untilApplication(api.world.kube, "gone", ({ phase }) => phase === "Succeeded");
    const wrong = await api.request(
      "DELETE",
      "/api/v1/applications/gone?cascade=false&propagationPolicy=background",
    );
    assert.equal(wrong.status, 400);
    assert.equal((await api.request("DELETE", "/api/v1/applications/gone")).status, 200);
    await untilObject(api.world, namespace, (object) => object === undefined);
  });
});
