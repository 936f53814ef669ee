import assert from "node:assert/strict";
import { test } from "node:test";
import {
  configMapRef,
  configMapText,
  createGitRepository,
  eventually,
  isSettled,
  openApiWorld,
  readObject,
  sketchApplication,
  untilApplication,
} from "@capstan/testkit";

test("where a service account should change objects, nobody changes them with Capstan's own rights", async () => {
  await using git = await createGitRepository({ "app/one.yaml": configMapText("one") });
  await using api = await openApiWorld();
  const { kube, settings } = api.world;
  const signal = AbortSignal.timeout(100_000);
  await kube.create(sketchApplication({ name: "web", repoURL: git.url, path: "app" }), { signal });
  await untilApplication(kube, "web", isSettled);
  const ref = { apiVersion: "v1", kind: "ConfigMap", namespace: "argocd", name: "argocd-cm" };
  const data = { "application.sync.impersonation.enabled": "true" };
  await kube.patch(ref, { type: "merge", body: { data } }, { signal });
  await eventually(() => settings.current.general.impersonation.enabled || undefined, {
    signal,
    describe: () => "the setting is not read",
  });
  const path =
    "/api/v1/applications/web/resource?namespace=web&resourceName=one&version=v1&kind=ConfigMap&group=";
  assert.equal((await api.request("GET", path)).status, 200);
  const deleted = await api.request("DELETE", path);
  assert.equal(deleted.status, 400);
  assert.match(JSON.stringify(deleted.body), /impersonation\.enabled is set, and no service account is used/);
  const patched = await api.request("POST", `${path}&patchType=application/merge-patch%2Bjson`, {
    body: JSON.stringify({ data: { key: "2" } }),
  });
  assert.equal(patched.status, 400);
  assert.deepEqual((await readObject(api.world, configMapRef("web", "one")))?.data, { key: "1" });
});
