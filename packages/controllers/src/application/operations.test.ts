import assert from "node:assert/strict";
import { test } from "node:test";
import {
  configMapText,
  createGitRepository,
  deploymentText,
  type Files,
  type GitRepository,
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
  requestSync,
  type SmallWorld,
  type SmallWorldOptions,
  untilObject,
  untilOperation,
} from "@capstan/testkit/worlds";

const timeLimit = () => AbortSignal.timeout(100_000);
const createNamespace = { syncOptions: ["CreateNamespace=true"] };

interface Place extends AsyncDisposable {
  git: GitRepository;
  world: SmallWorld;
}

async function place(
  files: Files,
  options: SmallWorldOptions & { sketch?: Record<string, unknown> } = {},
): Promise<Place> {
  const git = await createGitRepository(files);
  const world = await openSmallWorld(options);
  const sketch = {
    name: "web",
    repoURL: git.url,
    path: "app",
    syncPolicy: createNamespace,
    ...options.sketch,
  };
  await world.kube.create(sketchApplication(sketch), { signal: timeLimit() });
  await untilApplication(world.kube, "web", ({ sync }) => sync !== "");
  const dispose = async () => {
    await world[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
  };
  return { git, world, [Symbol.asyncDispose]: dispose };
}

const waved = (wave: number) => ({ annotations: { "argocd.argoproj.io/sync-wave": String(wave) } });
const hooked = (type: string, more: Record<string, string> = {}) => ({
  annotations: { "argocd.argoproj.io/hook": type, ...more },
});

/** Its container starts when the ConfigMap of that name is there: a test looks at what waits for it in its own time. */
const heldBy = (gate: string, text: string) =>
  text.replace(/^( *)image: .*$/m, `$&\n$1envFrom: [{configMapRef: {name: ${gate}}}]`);

async function open(world: SmallWorld, gate: string): Promise<void> {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: gate, namespace: "web" } };
  await world.kube.create(object, { signal: timeLimit() });
}

async function results(world: SmallWorld): Promise<Record<string, unknown>[]> {
  const app = await readObject(world, applicationRef("web"));
  const state = Object(Object(app?.status).operationState);
  return Object(state.syncResult).resources ?? [];
}

test("a sync by hand deploys, and history tells of it", async () => {
  await using there = await place({ "app/one.yaml": configMapText("one") });
  const { world } = there;
  const before = await untilApplication(world.kube, "web", ({ sync }) => sync === "OutOfSync");
  assert.equal(before.health, "Missing");
  await requestSync(world, "web", { syncOptions: ["CreateNamespace=true"] });
  const view = await untilOperation(world, "web");
  assert.equal(view.phase, "Succeeded", view.message);
  await untilApplication(world.kube, "web", isSettled);
  const app = await readObject(world, applicationRef("web"));
  assert.equal(app?.operation, undefined);
  assert.equal(Object(app?.status).history.length, 1);
  await world.controller.idle();
  const events = await world.kube.list({ apiVersion: "v1", kind: "Event", namespace: "argocd" }, timeLimit());
  const completed = events.items.find(({ reason }) => reason === "OperationCompleted");
  assert.deepEqual(completed?.metadata.annotations, {
    "dest-server": "https://kubernetes.default.svc",
    "dest-namespace": "web",
  });
  // Who asked for it is written down by the API server, which this world lacks.
  assert.ok(events.items.every(({ reason }) => reason !== "OperationStarted"));
});

test("a dry run changes nothing and says what would happen", async () => {
  await using there = await place({
    "app/one.yaml": configMapText("one"),
    "app/two.yaml": configMapText("two"),
  });
  const { world } = there;
  await world.kube.create(
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "web" } },
    { signal: timeLimit() },
  );
  await requestSync(world, "web", { dryRun: true });
  const view = await untilOperation(world, "web");
  assert.equal(view.phase, "Succeeded", view.message);
  assert.equal(view.message, "successfully synced (dry run)");
  assert.equal(await readObject(world, configMapRef("web", "one")), undefined);
  assert.equal((await results(world)).length, 2);
});

test("a partial sync touches only what was chosen", async () => {
  await using there = await place({
    "app/one.yaml": configMapText("one"),
    "app/two.yaml": configMapText("two"),
  });
  const { world } = there;
  const resources = [{ group: "", kind: "ConfigMap", name: "two" }];
  await requestSync(world, "web", { resources, syncOptions: ["CreateNamespace=true"] });
  assert.equal((await untilOperation(world, "web")).phase, "Succeeded");
  assert.equal(await readObject(world, configMapRef("web", "one")), undefined);
  assert.ok(await readObject(world, configMapRef("web", "two")));
});

test("hooks run before and after, each waited for", async () => {
  await using there = await place({
    "app/before.yaml": jobText("before", "echo hello", hooked("PreSync")),
    "app/one.yaml": configMapText("one"),
    "app/after.yaml": jobText(
      "after",
      "sleep 0.05",
      hooked("PostSync", { "argocd.argoproj.io/hook-delete-policy": "HookSucceeded" }),
    ),
  });
  const { world } = there;
  await requestSync(world, "web", { syncOptions: ["CreateNamespace=true"] });
  const view = await untilOperation(world, "web");
  assert.equal(view.phase, "Succeeded", view.message);
  const shown = (await results(world)).map(
    ({ name, syncPhase, hookPhase }) => `${syncPhase} ${name} ${hookPhase}`,
  );
  assert.deepEqual(shown, [
    "PreSync web Succeeded",
    "PreSync before Succeeded",
    "Sync one Succeeded",
    "PostSync after Succeeded",
  ]);
  const job = (name: string) => ({ apiVersion: "batch/v1", kind: "Job", namespace: "web", name });
  const left = await readObject(world, job("before"));
  assert.deepEqual(left?.metadata.finalizers ?? [], []);
  await untilObject(world, job("after"), (object) => object === undefined);
});

test("a failed hook keeps the rest from being applied and runs the SyncFail hook", async () => {
  await using there = await place({
    "app/before.yaml": jobText("before", "exit 3", hooked("PreSync")),
    "app/early.yaml": configMapText(
      "early",
      "1",
      hooked("PreSync", { "argocd.argoproj.io/sync-wave": "-1" }),
    ),
    "app/one.yaml": configMapText("one"),
    "app/rescue.yaml": configMapText("rescue", "1", hooked("SyncFail")),
  });
  const { world } = there;
  await requestSync(world, "web", { syncOptions: ["CreateNamespace=true"] });
  const view = await untilOperation(world, "web");
  assert.equal(view.phase, "Failed");
  assert.match(view.message, /before/);
  assert.equal(await readObject(world, configMapRef("web", "one")), undefined);
  assert.ok(await readObject(world, configMapRef("web", "rescue")));
});

test("a wave waits until the one before is healthy", async () => {
  await using there = await place({
    "app/first.yaml": heldBy("gate", deploymentText("first", waved(0))),
    "app/second.yaml": configMapText("second", "1", waved(1)),
  });
  const { world } = there;
  await requestSync(world, "web", { syncOptions: ["CreateNamespace=true"] });
  await untilApplication(world.kube, "web", ({ message }) =>
    /healthy state of apps\/Deployment web\/first/.test(message),
  );
  assert.equal(await readObject(world, configMapRef("web", "second")), undefined);
  await open(world, "gate");
  const view = await untilOperation(world, "web");
  assert.equal(view.phase, "Succeeded", view.message);
  assert.ok(await readObject(world, configMapRef("web", "second")));
});

test("a sync's result is compared after its end, for which clients wait", async () => {
  await using there = await place({
    "app/before.yaml": jobText("before", "sleep 2", hooked("PreSync")),
    "app/one.yaml": configMapText("one"),
  });
  const { world } = there;
  await requestSync(world, "web", { syncOptions: ["CreateNamespace=true"] });
  const view = await untilOperation(world, "web");
  assert.equal(view.phase, "Succeeded", view.message);
  await untilObject(world, applicationRef("web"), (app) => {
    const { reconciledAt, operationState } = Object(app?.status);
    return reconciledAt >= Object(operationState).finishedAt;
  });
});

test("a running sync can be ended", async () => {
  await using there = await place({
    "app/before.yaml": jobText("before", "sleep 600", hooked("PreSync")),
    "app/one.yaml": configMapText("one"),
  });
  const { world } = there;
  await requestSync(world, "web", { syncOptions: ["CreateNamespace=true"] });
  await untilApplication(world.kube, "web", ({ message }) => /completion of hook/.test(message));
  const body = { status: { operationState: { phase: "Terminating" } } };
  await world.kube.patch(applicationRef("web"), { type: "merge", body }, { signal: timeLimit() });
  const view = await untilOperation(world, "web");
  assert.equal(view.phase, "Failed");
  assert.equal(view.message, "Operation terminated");
  assert.equal(await readObject(world, configMapRef("web", "one")), undefined);
  await untilObject(
    world,
    { apiVersion: "batch/v1", kind: "Job", namespace: "web", name: "before" },
    (job) => job === undefined,
  );
});

test("a failed sync is tried again as often as asked", async () => {
  await using there = await place({ "app/bad.yaml": configMapText("bad", "1", { namespace: "nowhere" }) });
  const { world } = there;
  const retry = { limit: 2, backoff: { duration: "50ms", factor: 1 } };
  await requestSync(world, "web", { retry });
  const view = await untilApplication(world.kube, "web", ({ phase }) => phase === "Failed");
  assert.match(view.message, /retried 2 times/);
  assert.match(view.message, /nowhere/);
});

test("a CRD and an object of its kind come in one sync", async () => {
  const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: pipes.example.com}
spec:
  group: example.com
  names: {kind: Pipe, plural: pipes, singular: pipe}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`;
  const pipe = "apiVersion: example.com/v1\nkind: Pipe\nmetadata: {name: long}\nspec: {length: 3}\n";
  await using there = await place({ "app/crd.yaml": crd, "app/pipe.yaml": pipe });
  const { world } = there;
  await requestSync(world, "web", { syncOptions: ["CreateNamespace=true"] });
  const view = await untilOperation(world, "web");
  assert.equal(view.phase, "Succeeded", view.message);
  await untilApplication(world.kube, "web", isSettled);
  assert.ok(
    await readObject(world, { apiVersion: "example.com/v1", kind: "Pipe", namespace: "web", name: "long" }),
  );
});

test("a rollback brings back what an earlier revision had", async () => {
  await using there = await place({ "app/one.yaml": configMapText("one", "old") });
  const { git, world } = there;
  const old = await git.git("rev-parse", "HEAD");
  await requestSync(world, "web", { syncOptions: ["CreateNamespace=true"] });
  await untilApplication(world.kube, "web", isSettled);
  await git.commit({ "app/one.yaml": configMapText("one", "new") });
  world.repo.forgetRevisions(git.url);
  await requestSync(world, "web");
  await untilObject(world, configMapRef("web", "one"), (object) =>
    JSON.stringify(object?.data).includes("new"),
  );
  await untilApplication(world.kube, "web", isSettled);
  const source = { repoURL: git.url, path: "app", targetRevision: "main" };
  await requestSync(world, "web", { revision: old, source, syncStrategy: { apply: {} } });
  await untilObject(world, configMapRef("web", "one"), (object) =>
    JSON.stringify(object?.data).includes("old"),
  );
  await untilApplication(
    world.kube,
    "web",
    ({ sync, phase }) => sync === "OutOfSync" && phase === "Succeeded",
  );
});

test("a controller that starts in mid-sync goes on where the other stopped", async () => {
  await using there = await place({
    "app/before.yaml": heldBy("hook-gate", jobText("before", "true", hooked("PreSync"))),
    "app/first.yaml": heldBy("wave-gate", deploymentText("first", waved(0))),
    "app/second.yaml": configMapText("second", "1", waved(1)),
  });
  const { world } = there;
  await requestSync(world, "web", { syncOptions: ["CreateNamespace=true"] });
  await untilApplication(world.kube, "web", ({ message }) => /completion of hook/.test(message));
  await world.restartController();
  await open(world, "hook-gate");
  await untilApplication(world.kube, "web", ({ message }) => /healthy state/.test(message));
  await world.restartController();
  await open(world, "wave-gate");
  const view = await untilOperation(world, "web");
  assert.equal(view.phase, "Succeeded", view.message);
  await untilApplication(world.kube, "web", isSettled);
});

test("what a person changes while a sync writes its progress is not undone", async () => {
  let changes = 0;
  const edited = { source: { directory: { recurse: true } } };
  await using there = await place(
    { "app/one.yaml": configMapText("one"), "app/hook.yaml": jobText("hook", "sleep 1", hooked("PreSync")) },
    {
      intercept: (request) => {
        const isWrite = request.method === "PATCH" && request.url.includes("/applications/web");
        if (!isWrite || !request.body?.includes('"Running"') || changes > 0) return undefined;
        changes += 1;
        // Lands right after the controller's own write, which therefore does not know of it.
        queueMicrotask(() => void edit());
        return undefined;
      },
    },
  );
  const { world } = there;
  async function edit(): Promise<void> {
    await world.kube.patch(
      applicationRef("web"),
      { type: "merge", body: { spec: edited } },
      { signal: timeLimit() },
    );
  }
  await requestSync(world, "web");
  await untilOperation(world, "web");
  await world.controller.idle();
  const app = await readObject(world, applicationRef("web"));
  assert.equal(changes, 1);
  assert.deepEqual(Object(app?.spec).source.directory, { recurse: true });
});
