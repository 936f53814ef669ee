import assert from "node:assert/strict";
import { test } from "node:test";
import { equalJson } from "@capstan/formats";
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
  refresh,
  requestSync,
  type SmallWorld,
  untilObject,
} from "@capstan/testkit/worlds";

const one = configMapRef("web", "one");
const syncOptions = ["CreateNamespace=true"];
const brought = JSON.stringify({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "one", namespace: "web" },
  data: { from: "a person" },
});

interface Status {
  operation?: unknown;
  status?: { history?: unknown[]; sync?: { status: string }; operationState?: { phase: string } };
}

/** Syncs, and returns how the application is compared afterwards. */
async function syncStatusAfter(world: SmallWorld, sync: Record<string, unknown> = {}): Promise<string> {
  await requestSync(world, "web", { syncOptions, ...sync });
  const ended = await untilObject(world, applicationRef("web"), (app) => {
    const { operation, status } = (app ?? {}) as Status;
    return operation === undefined && status?.operationState?.phase === "Succeeded";
  });
  assert.ok(ended);
  return syncStatusNow(world);
}

async function syncStatusNow(world: SmallWorld): Promise<string> {
  await refresh(world, "web");
  const asked = "argocd.argoproj.io/refresh";
  const app = await untilObject(
    world,
    applicationRef("web"),
    (object) => object?.metadata.annotations?.[asked] === undefined,
  );
  return (app as Status | undefined)?.status?.sync?.status ?? "";
}

const dataOf = async (world: SmallWorld) => (await readObject(world, one))?.data;

test("what a person brought with a sync counts until the next sync, or until automation says that git does", async () => {
  await using git = await createGitRepository({ "app/one.yaml": configMapText("one") });
  await using world = await openSmallWorld();
  const { kube } = world;
  const signal = AbortSignal.timeout(100_000);
  const sketch = { name: "web", repoURL: git.url, path: "app", syncPolicy: { syncOptions } };
  await kube.create(sketchApplication(sketch), { signal });
  await untilApplication(kube, "web", ({ sync }) => sync !== "");
  assert.equal(await syncStatusAfter(world), "Synced");
  const ofGit = await dataOf(world);

  assert.equal(await syncStatusAfter(world, { manifests: [brought] }), "Synced");
  assert.deepEqual(await dataOf(world), { from: "a person" });
  assert.equal(await syncStatusAfter(world), "Synced");
  assert.deepEqual(await dataOf(world), ofGit);

  assert.equal(await syncStatusAfter(world, { manifests: [brought], dryRun: true }), "Synced");
  assert.equal(await syncStatusAfter(world, { manifests: [brought] }), "Synced");
  assert.equal(await syncStatusAfter(world, { manifests: [brought], dryRun: true }), "OutOfSync");
  assert.equal(await syncStatusAfter(world, { manifests: [brought] }), "Synced");
  const body = { spec: { syncPolicy: { automated: { selfHeal: true } } } };
  await kube.patch(applicationRef("web"), { type: "merge", body }, { signal });
  await untilObject(world, one, (object) => equalJson(object?.data, ofGit));
  await untilApplication(kube, "web", isSettled);
});
