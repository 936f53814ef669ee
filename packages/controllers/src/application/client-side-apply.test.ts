import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { annotationKeys, fieldManager, type Manifest } from "@capstan/model";
import {
  configMapText,
  createGitRepository,
  deploymentText,
  type GitRepository,
  isSettled,
  sketchApplication,
  untilApplication,
} from "@capstan/testkit";
import {
  configMapRef,
  openSmallWorld,
  readObject,
  refresh,
  type SmallWorld,
  untilObject,
} from "@capstan/testkit/worlds";

const timeLimit = () => AbortSignal.timeout(100_000);
const syncOptions = ["CreateNamespace=true", "ServerSideApply=false"];

const twoLines = (value: string) => `${configMapText("one", value)}  more: x\n`;
const withStrategy = (text: string) =>
  text.replace("spec:\n", "spec:\n  strategy:\n    type: RollingUpdate\n");

let git: GitRepository;
let world: SmallWorld;
before(async () => {
  git = await createGitRepository({
    "app/one.yaml": twoLines("1"),
    "app/web.yaml": withStrategy(deploymentText("web")),
    "app/own.yaml": configMapText("own", "1", {
      annotations: { "argocd.argoproj.io/sync-options": "ServerSideApply=true" },
    }),
  });
  world = await openSmallWorld();
  const app = sketchApplication({ name: "web", repoURL: git.url, path: "app" });
  const syncPolicy = { automated: { selfHeal: true }, syncOptions };
  await world.kube.create({ ...app, spec: { ...Object(app.spec), syncPolicy } }, { signal: timeLimit() });
  await untilApplication(world.kube, "web", isSettled);
});
after(async () => {
  await world[Symbol.asyncDispose]();
  await git[Symbol.asyncDispose]();
});

const deploymentRef = { apiVersion: "apps/v1", kind: "Deployment", namespace: "web", name: "web" };

const operationsOf = (object: Manifest | undefined) =>
  (object?.metadata.managedFields ?? [])
    .filter(({ manager, subresource }) => manager === fieldManager && !subresource)
    .map(({ operation }) => operation);
const noteOf = (object: Manifest | undefined) => object?.metadata.annotations?.[annotationKeys.lastApplied];

test("ServerSideApply=false applies as kubectl does, and an object's annotation wins", async () => {
  for (const ref of [configMapRef("web", "one"), deploymentRef]) {
    const live = await readObject(world, ref);
    assert.deepEqual(operationsOf(live), ["Update"], ref.kind);
    assert.match(noteOf(live) ?? "", /"annotations":\{"argocd\.argoproj\.io\/tracking-id"/);
  }
  const own = await readObject(world, configMapRef("web", "own"));
  assert.deepEqual(operationsOf(own), ["Apply"]);
  assert.equal(noteOf(own), undefined);
});

test("what others add is no difference, and what git says no more leaves the cluster", async () => {
  await world.kube.patch(
    configMapRef("web", "one"),
    { type: "merge", body: { data: { foreign: "1" }, metadata: { labels: { by: "someone" } } } },
    { signal: timeLimit(), fieldManager: "someone" },
  );
  await world.controller.idle();
  assert.equal((await untilApplication(world.kube, "web", ({ sync }) => sync !== "")).sync, "Synced");
  await git.commit({ "app/one.yaml": configMapText("one", "2") });
  await refresh(world, "web");
  const { data } = Object(
    await untilObject(world, configMapRef("web", "one"), (one) => !("more" in Object(one?.data))),
  );
  assert.equal(data.foreign, "1");
  assert.equal(Object.values(data).includes("2"), true);
});

test("a doubt asks what the very patch would change: a default that git no longer names is none", async () => {
  await untilApplication(world.kube, "web", isSettled);
  await world.controller.idle();
  const { length } = world.requests;
  const revision = await git.commit({ "app/web.yaml": deploymentText("web") });
  await refresh(world, "web");
  const { sync } = await untilApplication(world.kube, "web", (app) => app.revision === revision);
  assert.equal(sync, "Synced");
  const asked = world.requests
    .slice(length)
    .filter(({ method, url }) => method === "PATCH" && url.includes("/deployments/web"));
  assert.deepEqual(
    asked.map(({ url, headers }) => [url.includes("dryRun=All"), headers["content-type"]]),
    [[true, "application/strategic-merge-patch+json"]],
  );
});
