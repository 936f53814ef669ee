import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { configMapText, createGitRepository, sketchApplication, untilApplication } from "@capstan/testkit";
import { openSmallWorld, requestSync, type SmallWorld } from "@capstan/testkit/worlds";

const limit = () => AbortSignal.timeout(100_000);
let world: SmallWorld;
before(async () => {
  world = await openSmallWorld();
});
after(() => world[Symbol.asyncDispose]());

async function setScript(script: string): Promise<void> {
  const metadata = { name: "argocd-cm", namespace: "argocd" };
  const data = { "resource.customizations.health.ConfigMap": script };
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata, data };
  await world.kube.apply(map, { fieldManager: "test", force: true, signal: limit() });
}

test("an application is as healthy as the operator's script says, and a script that fails is said", async () => {
  await using git = await createGitRepository({ "app/one.yaml": configMapText("one") });
  await setScript('return { status = "Degraded", message = obj.metadata.name .. " is no good" }');
  const app = sketchApplication({ name: "judged", repoURL: git.url, path: "app" });
  await world.kube.create(app, { signal: limit() });
  await requestSync(world, "judged");
  await untilApplication(world.kube, "judged", ({ health }) => health === "Degraded");
  await setScript('return { status = "Healthy" }');
  await untilApplication(world.kube, "judged", ({ health }) => health === "Healthy");
  await setScript("return obj.status.phase.x");
  const failed = await untilApplication(world.kube, "judged", ({ health }) => health === "Unknown");
  const { message = "" } = failed.conditions.find(({ type }) => type === "ComparisonError") ?? {};
  assert.match(
    message,
    /^error setting app health: failed to get resource health for "ConfigMap" with name "one"/,
  );
  assert.match(message, /resource\.customizations\.health\.ConfigMap/);
  await setScript('return { status = "Healthy" }');
  await untilApplication(
    world.kube,
    "judged",
    ({ health, conditions }) => health === "Healthy" && conditions.length === 0,
  );
});
