import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isApplication, type Manifest } from "@capstan/model";
import {
  configMapText,
  createGitRepository,
  deploymentText,
  eventually,
  type GitRepository,
  jobText,
  sketchApplication,
  untilApplication,
} from "@capstan/testkit";
import { openSmallWorld, requestSync, type SmallWorld } from "@capstan/testkit/worlds";

const limit = () => AbortSignal.timeout(100_000);
const byHand = { syncOptions: ["CreateNamespace=true"] };

let git: GitRepository;
let world: SmallWorld;
/** Every state in which an Application was seen, in order. */
const seen: Manifest[] = [];
const stop = new AbortController();

before(async () => {
  git = await createGitRepository({
    "web/one.yaml": configMapText("one"),
    "web/web.yaml": deploymentText("web").replace("replicas: 1", "replicas: 0"),
    "held/held.yaml": deploymentText("held").replace(
      /^( *)image: .*$/m,
      "$&\n$1envFrom: [{configMapRef: {name: gate}}]",
    ),
    "slow/before.yaml": jobText("before", "sleep 2", {
      annotations: { "argocd.argoproj.io/hook": "PreSync" },
    }),
    "slow/one.yaml": configMapText("one"),
    "half/one.yaml": configMapText("one"),
    "half/two.yaml": configMapText("two"),
  });
  world = await openSmallWorld();
  void watchApplications();
});
after(async () => {
  stop.abort();
  await world[Symbol.asyncDispose]();
  await git[Symbol.asyncDispose]();
});

async function watchApplications(): Promise<void> {
  const type = { apiVersion: "argoproj.io/v1alpha1", kind: "Application", namespace: "argocd" };
  const { resourceVersion } = await world.kube.list(type, limit());
  try {
    for await (const { object } of world.kube.watch({ ...type, resourceVersion }, stop.signal))
      seen.push(object);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  }
}

/** The status with which its first sync was seen to have succeeded. */
async function firstSuccess(name: string) {
  const isEnd = (object: Manifest) =>
    object.metadata.name === name && Object(Object(object.status).operationState).phase === "Succeeded";
  const found = await eventually(() => seen.find(isEnd), {
    signal: limit(),
    describe: () => `${name} was seen ${seen.filter(({ metadata }) => metadata.name === name).length} times`,
  });
  assert.ok(isApplication(found));
  return found.status ?? {};
}

async function place(name: string, syncPolicy?: Record<string, unknown>): Promise<void> {
  const sketch = { name, repoURL: git.url, path: name, ...(syncPolicy ? { syncPolicy } : {}) };
  await world.kube.create(sketchApplication(sketch), { signal: limit() });
}

test("that a sync has succeeded is said with what it has made", async () => {
  await place("web");
  const { sync, resources = [], conditions = [] } = await firstSuccess("web");
  assert.equal(sync?.status, "Synced");
  assert.deepEqual(new Set(resources.map(({ status }) => status)), new Set(["Synced"]));
  assert.deepEqual(conditions, []);
  await untilApplication(world.kube, "web", ({ health }) => health === "Healthy");
});

test("clients wait for a comparison after the end: it is in the same write", async () => {
  await place("slow");
  const { reconciledAt = "", operationState } = await firstSuccess("slow");
  assert.ok(reconciledAt >= (operationState?.finishedAt ?? "never"), `${reconciledAt} is earlier`);
});

test("what stays on its way is told to be so", async () => {
  await place("held");
  const { health } = await firstSuccess("held");
  assert.equal(health?.status, "Progressing");
  const gate = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "gate", namespace: "held" } };
  await world.kube.create(gate, { signal: limit() });
  await untilApplication(world.kube, "held", ({ health }) => health === "Healthy");
});

test("a sync of a part leaves the rest OutOfSync, and says so at once", async () => {
  await place("half", byHand);
  await untilApplication(world.kube, "half", ({ sync }) => sync === "OutOfSync");
  await requestSync(world, "half", { ...byHand, resources: [{ kind: "ConfigMap", name: "one" }] });
  const { sync, resources = [] } = await firstSuccess("half");
  assert.equal(sync?.status, "OutOfSync");
  assert.deepEqual(resources.map(({ name, status }) => `${name} ${status}`).sort(), [
    "one Synced",
    "two OutOfSync",
  ]);
});
