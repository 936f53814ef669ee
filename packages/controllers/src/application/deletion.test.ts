import assert from "node:assert/strict";
import { test } from "node:test";
import {
  configMapText,
  createGitRepository,
  deploymentText,
  type Files,
  isSettled,
  jobText,
  sketchApplication,
  untilApplication,
} from "@capstan/testkit";
import {
  applicationRef,
  configMapRef,
  openSmallWorld,
  readObject,
  type SmallWorld,
  untilObject,
} from "@capstan/testkit/worlds";

const timeLimit = () => AbortSignal.timeout(100_000);
const finalizer = "resources-finalizer.argocd.argoproj.io";

async function deployed(files: Files, { finalizers = [finalizer], settle = true } = {}) {
  const git = await createGitRepository(files);
  const world = await openSmallWorld();
  const app = sketchApplication({ name: "web", repoURL: git.url, path: "app" });
  await world.kube.create({ ...app, metadata: { ...app.metadata, finalizers } }, { signal: timeLimit() });
  if (settle) await untilApplication(world.kube, "web", isSettled);
  await world.controller.idle();
  const dispose = async () => {
    await world[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
  };
  return { world, [Symbol.asyncDispose]: dispose };
}

async function deleteApplication(world: SmallWorld): Promise<void> {
  await world.kube.delete(applicationRef("web"), { signal: timeLimit() });
  await untilObject(world, applicationRef("web"), (app) => app === undefined);
}

/** As `capstan app terminate-op` does. */
async function endSync(world: SmallWorld): Promise<void> {
  const body = { status: { operationState: { phase: "Terminating" } } };
  await world.kube.patch(applicationRef("web"), { type: "merge", body }, { signal: timeLimit() });
}

test("with the finalizer an application takes its objects along", async () => {
  await using place = await deployed({
    "app/one.yaml": configMapText("one"),
    "app/web.yaml": deploymentText("web"),
  });
  const { world } = place;
  await deleteApplication(world);
  assert.equal(await readObject(world, configMapRef("web", "one")), undefined);
  const pods = await world.kube.list({ apiVersion: "v1", kind: "Pod", namespace: "web" }, timeLimit());
  assert.deepEqual(pods.items, []);
  assert.ok(
    await readObject(world, { apiVersion: "v1", kind: "Namespace", name: "web" }),
    "the namespace stays",
  );
});

test("without the finalizer its objects stay", async () => {
  await using place = await deployed({ "app/one.yaml": configMapText("one") }, { finalizers: [] });
  await deleteApplication(place.world);
  await place.world.controller.idle();
  assert.ok(await readObject(place.world, configMapRef("web", "one")));
});

test("what is marked to be kept stays", async () => {
  const options = (text: string) => ({ annotations: { "argocd.argoproj.io/sync-options": text } });
  await using place = await deployed({
    "app/one.yaml": configMapText("one"),
    "app/two.yaml": configMapText("two", "1", options("Delete=false")),
    "app/three.yaml": configMapText("three", "1", { annotations: { "helm.sh/resource-policy": "keep" } }),
  });
  const { world } = place;
  await deleteApplication(world);
  assert.equal(await readObject(world, configMapRef("web", "one")), undefined);
  assert.ok(await readObject(world, configMapRef("web", "two")));
  assert.ok(await readObject(world, configMapRef("web", "three")));
});

test("waves are taken down in the opposite order", async () => {
  const wave = (count: number) => ({ annotations: { "argocd.argoproj.io/sync-wave": String(count) } });
  await using place = await deployed({
    "app/one.yaml": configMapText("one", "1", wave(1)),
    "app/two.yaml": configMapText("two", "1", wave(2)),
    "app/three.yaml": configMapText("three", "1", wave(3)),
  });
  const { world } = place;
  const before = world.requests.length;
  await deleteApplication(world);
  const deleted = world.requests
    .slice(before)
    .filter(({ method, url }) => method === "DELETE" && url.includes("configmaps"))
    .map(({ url }) => url.split("/").at(-1));
  assert.deepEqual(deleted, ["three", "two", "one"]);
});

test("an unknown destination lets the application go and leaves its objects", async () => {
  await using place = await deployed({ "app/one.yaml": configMapText("one") });
  const { world } = place;
  const body = { spec: { destination: { server: "https://gone.example.com" } } };
  await world.kube.patch(applicationRef("web"), { type: "merge", body }, { signal: timeLimit() });
  await untilApplication(world.kube, "web", ({ conditions }) => conditions.length > 0);
  await deleteApplication(world);
  assert.ok(await readObject(world, configMapRef("web", "one")));
});

test("hooks run before and after the deletion", async () => {
  const hook = (type: string) => ({
    annotations: {
      "argocd.argoproj.io/hook": type,
      "argocd.argoproj.io/hook-delete-policy": "HookSucceeded",
    },
  });
  await using place = await deployed({
    "app/one.yaml": configMapText("one"),
    "app/pre.yaml": jobText("pre", "true", hook("PreDelete")),
    "app/post.yaml": jobText("post", "true", hook("PostDelete")),
  });
  const { world } = place;
  const app = await readObject(world, applicationRef("web"));
  assert.ok(app?.metadata.finalizers?.includes("post-delete-finalizer.argocd.argoproj.io/cleanup"));
  const before = world.requests.length;
  await deleteApplication(world);
  const seen = world.requests
    .slice(before)
    .filter(({ method, url }) => method !== "GET" && /jobs|configmaps/.test(url))
    .map(({ method, url }) => `${method} ${url.split("?")[0]?.split("/").at(-1)}`);
  assert.deepEqual(seen, ["PATCH pre", "DELETE one", "PATCH post", "DELETE pre", "DELETE post"]);
});

test("a project goes when its last application has gone", async () => {
  await using place = await deployed({ "app/one.yaml": configMapText("one") });
  const { world } = place;
  const project = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "AppProject",
    namespace: "argocd",
    name: "default",
  };
  const body = { metadata: { finalizers: [finalizer] } };
  await world.kube.patch(project, { type: "merge", body }, { signal: timeLimit() });
  await world.kube.delete(project, { signal: timeLimit() });
  await world.controller.idle();
  assert.ok(await readObject(world, project));
  await deleteApplication(world);
  await untilObject(world, project, (object) => object === undefined);
});

test("a hook that still runs goes with the application once its sync is ended", async () => {
  const files = {
    "app/one.yaml": configMapText("one"),
    "app/hook.yaml": jobText("hook", "sleep 600", { annotations: { "argocd.argoproj.io/hook": "PreSync" } }),
  };
  await using place = await deployed(files, { settle: false });
  const hook = { apiVersion: "batch/v1", kind: "Job", namespace: "web", name: "hook" };
  await untilApplication(place.world.kube, "web", ({ message }) => /completion of hook/.test(message));
  await place.world.kube.delete(applicationRef("web"), { signal: timeLimit() });
  await endSync(place.world);
  await untilObject(place.world, applicationRef("web"), (app) => app === undefined);
  await untilObject(place.world, hook, (job) => job === undefined);
});

test("a hook that was given its name by the sync goes with the application", async () => {
  const hook = jobText("done", "true", { annotations: { "argocd.argoproj.io/hook": "PostSync" } });
  await using place = await deployed({
    "app/one.yaml": configMapText("one"),
    "app/hook.yaml": hook.replace("name: done", "generateName: done-"),
  });
  const { world } = place;
  const jobs = () => world.kube.list({ apiVersion: "batch/v1", kind: "Job", namespace: "web" }, timeLimit());
  assert.equal((await jobs()).items.length, 1);
  await deleteApplication(world);
  assert.deepEqual((await jobs()).items, []);
});

test("a hook of the deletion without a name of its own is made once", async () => {
  const annotations = {
    "argocd.argoproj.io/hook": "PreDelete",
    "argocd.argoproj.io/hook-delete-policy": "HookSucceeded",
  };
  const hook = jobText("leave", "true", { annotations });
  await using place = await deployed({
    "app/one.yaml": configMapText("one"),
    "app/hook.yaml": hook.replace("name: leave", "generateName: leave-"),
  });
  const { world } = place;
  const before = world.requests.length;
  await deleteApplication(world);
  const made = world.requests
    .slice(before)
    .filter(({ method, url }) => (method === "POST" || method === "PATCH") && url.includes("/jobs"));
  assert.equal(made.length, 1);
});

test("a deletion waits for the sync that is under way, also of another controller, and goes on when it is ended", async () => {
  await using place = await deployed(
    {
      "app/a.yaml": jobText("first", "sleep 600", {
        annotations: { "argocd.argoproj.io/sync-wave": "-1" },
      }),
      "app/b.yaml": configMapText("second"),
    },
    { settle: false },
  );
  const { world } = place;
  await untilApplication(world.kube, "web", ({ message }) => /healthy state of batch\/Job/.test(message));
  await world.kube.delete(applicationRef("web"), { signal: timeLimit() });
  const held = await untilApplication(world.kube, "web", ({ conditions }) => conditions.length > 0);
  assert.match(
    held.conditions[0]?.message ?? "",
    /^The deletion waits for the end of the sync .* capstan app terminate-op argocd\/web ends it$/,
  );
  await world.restartController();
  await world.controller.idle();
  const job = { apiVersion: "batch/v1", kind: "Job", namespace: "web", name: "first" };
  assert.ok(await readObject(world, job));
  const { phase } = await untilApplication(world.kube, "web", () => true);
  assert.equal(phase, "Running");
  await endSync(world);
  await untilObject(world, applicationRef("web"), (app) => app === undefined);
  assert.equal(await readObject(world, job), undefined);
  assert.equal(await readObject(world, configMapRef("web", "second")), undefined, "the sync went no further");
});
