import assert from "node:assert/strict";
import { test } from "node:test";
import {
  configMapText,
  createGitRepository,
  isSettled,
  sketchApplication,
  untilApplication,
} from "@capstan/testkit";
import {
  applicationRef,
  configMapRef,
  openSmallWorld,
  readObject,
  requestSync,
  type SmallWorld,
  untilObject,
} from "@capstan/testkit/worlds";

const signal = () => AbortSignal.timeout(60_000);
const key = "capstan.dev/depends-on";

function sketch(name: string, repoURL: string, dependsOn?: string) {
  const object = sketchApplication({ name, repoURL, path: name });
  const annotations = dependsOn === undefined ? {} : { [key]: dependsOn };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

const untilSays = (world: SmallWorld, name: string, text: string) =>
  untilObject(world, applicationRef(name), (object) => JSON.stringify(object?.status ?? {}).includes(text));

test("a sync waits for the applications that it depends on, and begins when they are ready", async () => {
  await using git = await createGitRepository({
    "web/one.yaml": configMapText("one"),
    "db/two.yaml": configMapText("two"),
  });
  await using world = await openSmallWorld();
  await world.kube.create(sketch("web", git.url, "db"), { signal: signal() });
  await untilSays(world, "web", "db (there is none in project default)");
  await world.controller.idle();
  const syncOptions = ["CreateNamespace=true"];
  await requestSync(world, "web", { syncOptions });
  await untilSays(world, "web", '"phase":"Running","startedAt"');
  await world.controller.idle();
  assert.equal(await readObject(world, configMapRef("web", "one")), undefined);

  await world.kube.create(sketch("db", git.url), { signal: signal() });
  const view = await untilApplication(world.kube, "web", isSettled);
  assert.deepEqual(view.conditions, []);
  assert.equal(view.phase, "Succeeded");
});

test("applications that depend on each other are refused by name", async () => {
  await using git = await createGitRepository({
    "web/one.yaml": configMapText("one"),
    "db/two.yaml": configMapText("two"),
  });
  await using world = await openSmallWorld();
  await world.kube.create(sketch("db", git.url, "web"), { signal: signal() });
  await world.kube.create(sketch("web", git.url, "db"), { signal: signal() });
  await untilSays(world, "web", "none can begin: web -> db -> web");
  await requestSync(world, "web");
  const failed = await untilApplication(world.kube, "web", ({ phase }) => phase === "Failed");
  assert.match(failed.message, /none can begin: web -> db -> web/);
});
