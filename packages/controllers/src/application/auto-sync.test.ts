import assert from "node:assert/strict";
import { test } from "node:test";
import {
  configMapText,
  createGitRepository,
  deploymentText,
  eventually,
  isSettled,
  sketchApplication,
  untilApplication,
} from "@capstan/testkit";
import {
  applicationRef,
  configMapRef,
  openSmallWorld,
  readObject,
  refresh,
  type SmallWorld,
  untilObject,
} from "@capstan/testkit/worlds";

const timeLimit = () => AbortSignal.timeout(100_000);
const value = (world: SmallWorld, name: string) =>
  readObject(world, configMapRef("web", name)).then((object) => object?.data);

async function deployed(files: Record<string, string>, sketch: Record<string, unknown> = {}) {
  const git = await createGitRepository(files);
  const world = await openSmallWorld();
  await world.kube.create(sketchApplication({ name: "web", repoURL: git.url, path: "app", ...sketch }), {
    signal: timeLimit(),
  });
  await untilApplication(world.kube, "web", isSettled);
  await world.controller.idle();
  const dispose = async () => {
    await world[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
  };
  return { git, world, [Symbol.asyncDispose]: dispose };
}

test("a commit reaches the cluster with one render, and what left git is pruned", async () => {
  await using place = await deployed({
    "app/one.yaml": configMapText("one"),
    "app/two.yaml": configMapText("two"),
  });
  const { git, world } = place;
  const revision = await git.commit({ "app/one.yaml": configMapText("one", "2"), "app/two.yaml": undefined });
  const before = world.log.filter(({ message }) => message === "rendered").length;
  await refresh(world, "web");
  const view = await untilApplication(
    world.kube,
    "web",
    (one) => isSettled(one) && one.revision === revision,
  );
  assert.deepEqual(
    view.resources.map(({ name }) => name),
    ["one"],
  );
  assert.deepEqual(await value(world, "one"), { key: "2" });
  assert.equal(await value(world, "two"), undefined);
  assert.equal(world.log.filter(({ message }) => message === "rendered").length - before, 1);
});

test("drift is healed", async () => {
  await using place = await deployed({ "app/one.yaml": configMapText("one") });
  const { world } = place;
  await world.kube.patch(
    configMapRef("web", "one"),
    { type: "merge", body: { data: { key: "drifted" } } },
    { signal: timeLimit() },
  );
  await untilObject(
    world,
    configMapRef("web", "one"),
    (object) => JSON.stringify(object?.data) === '{"key":"1"}',
  );
  await untilApplication(world.kube, "web", isSettled);
  await world.kube.delete(configMapRef("web", "one"), { signal: timeLimit() });
  await untilObject(world, configMapRef("web", "one"), (object) => object !== undefined);
});

test("without self-heal drift is only shown", async () => {
  await using place = await deployed(
    { "app/one.yaml": configMapText("one") },
    { syncPolicy: { automated: {}, syncOptions: ["CreateNamespace=true"] } },
  );
  const { world } = place;
  await world.kube.patch(
    configMapRef("web", "one"),
    { type: "merge", body: { data: { key: "drifted" } } },
    { signal: timeLimit() },
  );
  await untilApplication(world.kube, "web", ({ sync }) => sync === "OutOfSync");
  await world.controller.idle();
  assert.deepEqual(await value(world, "one"), { key: "drifted" });
});

test("an empty render prunes nothing and says why", async () => {
  await using place = await deployed({ "app/one.yaml": configMapText("one") });
  const { git, world } = place;
  await git.commit({ "app/one.yaml": undefined, "app/README.md": "empty" });
  await refresh(world, "web");
  const view = await untilApplication(world.kube, "web", ({ conditions }) => conditions.length > 0);
  assert.match(view.conditions[0]?.message ?? "", /auto-sync will wipe out all resources/);
  assert.equal(view.conditions[0]?.type, "SyncError");
  await world.controller.idle();
  assert.deepEqual(await value(world, "one"), { key: "1" });
});

test("allowEmpty lets an empty render prune", async () => {
  await using place = await deployed(
    { "app/one.yaml": configMapText("one") },
    { syncPolicy: { automated: { prune: true, allowEmpty: true }, syncOptions: ["CreateNamespace=true"] } },
  );
  await place.git.commit({ "app/one.yaml": undefined, "app/README.md": "empty" });
  await refresh(place.world, "web");
  await untilObject(place.world, configMapRef("web", "one"), (object) => object === undefined);
});

test("a failed render prunes nothing, names file and line, and is over when git is mended", async () => {
  await using place = await deployed({
    "app/one.yaml": configMapText("one"),
    "app/two.yaml": configMapText("two"),
  });
  const { git, world } = place;
  await git.commit({
    "app/one.yaml": `${configMapText("one")}  bad: [unclosed\n`,
    "app/two.yaml": undefined,
  });
  await refresh(world, "web");
  const broken = await untilApplication(world.kube, "web", ({ sync }) => sync === "Unknown");
  assert.match(broken.conditions[0]?.message ?? "", /app\/one\.yaml|one\.yaml/);
  assert.equal(broken.conditions[0]?.type, "ComparisonError");
  assert.deepEqual(await value(world, "two"), { key: "1" });
  await git.commit({ "app/one.yaml": configMapText("one", "3") });
  await refresh(world, "web");
  const mended = await untilApplication(world.kube, "web", isSettled);
  assert.deepEqual(mended.conditions, []);
  assert.equal(await value(world, "two"), undefined);
});

test("looking at an unchanged application costs no request and no write", async () => {
  await using place = await deployed({
    "app/one.yaml": configMapText("one"),
    "app/web.yaml": deploymentText("web"),
  });
  const { world } = place;
  await world.controller.idle();
  const app = await readObject(world, applicationRef("web"));
  const before = world.requests.length;
  const lines = world.log.length;
  // An unrelated change of a managed object: nothing that git speaks of.
  await world.kube.patch(
    configMapRef("web", "one"),
    { type: "merge", body: { metadata: { labels: { extra: "1" } } } },
    { signal: timeLimit() },
  );
  const looked = () =>
    world.log
      .slice(lines)
      .find(({ message, facts }) => message === "reconciled" && facts.reason === "a managed object changed");
  await eventually(looked, { signal: timeLimit(), describe: () => "nobody looked at the application" });
  await world.controller.idle();
  assert.deepEqual(
    world.requests.slice(before + 1).map(({ method, url }) => `${method} ${url}`),
    [],
  );
  const after = await readObject(world, applicationRef("web"));
  assert.equal(after?.metadata.resourceVersion, app?.metadata.resourceVersion);
});

test("a refresh writes only what it must", async () => {
  await using place = await deployed({ "app/one.yaml": configMapText("one") });
  const { world } = place;
  const before = world.requests.length;
  await refresh(world, "web");
  await untilObject(
    world,
    applicationRef("web"),
    (app) => app?.metadata.annotations === undefined || Object.keys(app.metadata.annotations).length === 0,
  );
  await world.controller.idle();
  const writes = world.requests.slice(before).filter(({ method }) => method !== "GET");
  assert.equal(writes.length, 2, "the annotation and its removal");
});
