import assert from "node:assert/strict";
import { test } from "node:test";
import {
  configMapText,
  createGitRepository,
  eventually,
  isSettled,
  sketchApplication,
  untilApplication,
} from "./index.ts";
import { configMapRef, openSecondCluster, openSmallWorld, readObject } from "./worlds.ts";

// From when the file is loaded: others may be played before it in this process.
const signal = AbortSignal.timeout(600_000);

test("a cluster from a cluster Secret is deployed to over HTTPS, by name, and lost when its Secret goes", async () => {
  await using git = await createGitRepository({ "app/one.yaml": configMapText("one") });
  await using world = await openSmallWorld();
  await using second = await openSecondCluster(world.kube, "east");
  const { kube } = second;
  const destination = { name: "east", namespace: "web" };
  const app = sketchApplication({ name: "web", repoURL: git.url, path: "app", destination });
  await world.kube.create(app, { signal });
  await untilApplication(world.kube, "web", isSettled);
  assert.ok(await kube.get(configMapRef("web", "one"), signal));
  assert.equal(await readObject(world, configMapRef("web", "one")), undefined);
  await kube.delete(configMapRef("web", "one"), { signal });
  const healed = () => kube.get(configMapRef("web", "one"), signal);
  await eventually(healed, { signal, describe: () => "drift over there is not healed" });
  await untilApplication(world.kube, "web", isSettled);
  await world.kube.delete(
    { apiVersion: "v1", kind: "Secret", namespace: "argocd", name: "east" },
    { signal },
  );
  const lost = await untilApplication(world.kube, "web", ({ conditions }) => conditions.length > 0);
  assert.match(lost.conditions[0]?.message ?? "", /there are no clusters with this name: "east"/);
});
