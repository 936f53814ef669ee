import assert from "node:assert/strict";
import { test } from "node:test";
import {
  configMapText,
  createGitRepository,
  eventually,
  sketchApplication,
  untilApplication,
} from "@capstan/testkit";
import { configMapRef, openSecondCluster, openSmallWorld } from "@capstan/testkit/worlds";
import { limit, sync } from "./place.ts";

test("a cluster of some namespaces is watched and deployed to in these alone", async () => {
  await using world = await openSmallWorld();
  await using second = await openSecondCluster(world.kube, "narrow");
  for (const name of ["ours", "theirs"])
    await second.kube.create(
      { apiVersion: "v1", kind: "Namespace", metadata: { name } },
      { signal: limit() },
    );
  const secret = { apiVersion: "v1", kind: "Secret", namespace: "argocd", name: "narrow" };
  const data = { namespaces: Buffer.from("ours").toString("base64") };
  await world.kube.patch(secret, { type: "merge", body: { data } }, { signal: limit() });
  await eventually(() => world.settings.current.clusters.find(({ namespaces }) => namespaces !== undefined), {
    signal: limit(),
    describe: () => "the Secret was not read",
  });
  const put = async (name: string, namespace: string, files: Record<string, string>) => {
    const git = await createGitRepository(files);
    const destination = { name: "narrow", namespace };
    const app = sketchApplication({ name, repoURL: git.url, path: "app", destination, syncPolicy: {} });
    await world.kube.create(app, { signal: limit() });
    await untilApplication(world.kube, name, ({ sync: status }) => status !== "");
    return { git, world, name, [Symbol.asyncDispose]: () => git[Symbol.asyncDispose]() };
  };
  await using inside = await put("inside", "ours", { "app/one.yaml": configMapText("one") });
  assert.equal((await sync(inside, { syncOptions: [] })).phase, "Succeeded");
  assert.ok(await second.kube.get(configMapRef("ours", "one"), limit()));
  const role = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "wide" },
  };
  await using outside = await put("outside", "theirs", {
    "app/one.yaml": configMapText("one"),
    "app/role.yaml": JSON.stringify({ ...role, rules: [] }),
  });
  const { phase, message } = await sync(outside, { syncOptions: [] });
  assert.equal(phase, "Error");
  assert.match(message, /Namespace "theirs" for ConfigMap "one" is not managed/);
  assert.match(message, /Cluster level ClusterRole "wide" can not be managed/);
  assert.equal(await second.kube.get(configMapRef("theirs", "one"), limit()), undefined);
});
