import assert from "node:assert/strict";
import { test } from "node:test";
import {
  configMapText,
  createGitRepository,
  eventually,
  isSettled,
  sketchApplication,
  untilApplication,
} from "@capstan/testkit";
import { configMapRef, openApiWorld, readObject } from "@capstan/testkit/worlds";

const limit = () => AbortSignal.timeout(100_000);
const rbac = "rbac.authorization.k8s.io/v1";
const inWeb = (name: string) => ({ name, namespace: "web" });
const path =
  "/api/v1/applications/web/resource?namespace=web&resourceName=one&version=v1&kind=ConfigMap&group=";
const merge = { body: JSON.stringify(JSON.stringify({ data: { key: "2" } })) };

test("where a service account is to act, a person changes and reads objects with its rights alone", async () => {
  await using git = await createGitRepository({ "app/one.yaml": configMapText("one") });
  await using api = await openApiWorld();
  const { kube, settings } = api.world;
  await kube.create(sketchApplication({ name: "web", repoURL: git.url, path: "app" }), { signal: limit() });
  await untilApplication(kube, "web", isSettled);
  const ref = { apiVersion: "v1", kind: "ConfigMap", namespace: "argocd", name: "argocd-cm" };
  const data = { "application.sync.impersonation.enabled": "true" };
  await kube.patch(ref, { type: "merge", body: { data } }, { signal: limit() });
  await eventually(() => settings.current.general.impersonation.enabled || undefined, {
    signal: limit(),
    describe: () => "the setting is not read",
  });
  const patch = () => api.request("POST", `${path}&patchType=application/merge-patch%2Bjson`, merge);
  for (const answer of [await api.request("GET", path), await patch(), await api.request("DELETE", path)]) {
    assert.equal(answer.status, 400);
    assert.match(JSON.stringify(answer.body), /no matching service account found for destination server/);
  }
  assert.deepEqual((await readObject(api.world, configMapRef("web", "one")))?.data, { key: "1" });

  const project = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "AppProject",
    namespace: "argocd",
    name: "default",
  };
  const accounts = [{ server: "*", namespace: "web", defaultServiceAccount: "reader" }];
  const spec = { destinationServiceAccounts: accounts };
  await kube.patch(project, { type: "merge", body: { spec } }, { signal: limit() });
  const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get"] }];
  await kube.create(
    { apiVersion: rbac, kind: "Role", metadata: inWeb("reader"), rules },
    { signal: limit() },
  );
  const subjects = [{ kind: "ServiceAccount", ...inWeb("reader") }];
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" };
  await kube.create(
    { apiVersion: rbac, kind: "RoleBinding", metadata: inWeb("reader"), subjects, roleRef },
    { signal: limit() },
  );
  await eventually(async () => (await api.request("GET", path)).status === 200 || undefined, {
    signal: limit(),
    describe: () => "the account may not read",
  });
  for (const answer of [await patch(), await api.request("DELETE", path)]) {
    assert.equal(answer.status, 400);
    assert.match(
      JSON.stringify(answer.body),
      /system:serviceaccount:web:reader.{1,6} cannot (?:patch|delete)/,
    );
  }
  assert.deepEqual((await readObject(api.world, configMapRef("web", "one")))?.data, { key: "1" });
});

test("where a project demands signatures, nobody syncs manifests of their own", async () => {
  await using git = await createGitRepository({ "app/one.yaml": configMapText("one") });
  await using api = await openApiWorld();
  const { kube } = api.world;
  const app = sketchApplication({ name: "web", repoURL: git.url, path: "app", syncPolicy: {} });
  await kube.create(app, { signal: limit() });
  const sync = async () => {
    const manifests = [JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "mine" } })];
    const { status, body } = await api.request("POST", "/api/v1/applications/web/sync", {
      body: { manifests, dryRun: true },
    });
    return status === 200 ? "started" : JSON.stringify(body);
  };
  const demand = (spec: object) =>
    kube.patch(
      { apiVersion: "argoproj.io/v1alpha1", kind: "AppProject", namespace: "argocd", name: "default" },
      { type: "merge", body: { spec } },
      { signal: limit() },
    );
  await demand({ signatureKeys: [{ keyID: "0123456789ABCDEF" }] });
  await eventually(async () => (await sync()).includes("Cannot use local manifests") || undefined, {
    signal: limit(),
    describe: () => "they are synced",
  });
  await demand({ signatureKeys: null });
  await eventually(async () => (await sync()) === "started" || undefined, {
    signal: limit(),
    describe: () => "they are refused for good",
  });
});
