import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  configMapText,
  createGitRepository,
  eventually,
  type GitRepository,
  jobText,
  sketchApplication,
  untilApplication,
} from "@capstan/testkit";
import {
  configMapRef,
  openSmallWorld,
  readObject,
  type SmallWorld,
  untilObject,
} from "@capstan/testkit/worlds";

const limit = () => AbortSignal.timeout(100_000);
const wave = (number: number) => ({ annotations: { "argocd.argoproj.io/sync-wave": String(number) } });

let git: GitRepository;
let world: SmallWorld;
before(async () => {
  git = await createGitRepository({
    "stuck/job.yaml": jobText("never", "sleep 3600", { annotations: { "argocd.argoproj.io/hook": "Sync" } }),
    "stuck/one.yaml": configMapText("one"),
    "former/migrate.yaml": configMapText("migrate", "1", {
      annotations: { "argocd.argoproj.io/hook": "PreSync" },
    }),
    "former/one.yaml": configMapText("former-one"),
    "waves/a.yaml": configMapText("a", "1", wave(0)),
    "waves/b.yaml": configMapText("b", "1", wave(1)),
  });
  world = await openSmallWorld();
});
after(async () => {
  await world[Symbol.asyncDispose]();
  await git[Symbol.asyncDispose]();
});

async function set(data: Record<string, string>): Promise<void> {
  const metadata = { name: "argocd-cmd-params-cm", namespace: "argocd" };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data };
  await world.kube.apply(object, { fieldManager: "test", force: true, signal: limit() });
  const isKnown = () =>
    Object.entries(data).every(([key, text]) => world.settings.current.params[key] === text);
  await eventually(() => isKnown() || undefined, {
    signal: limit(),
    describe: () => "the settings are not read",
  });
}

test("controller.sync.timeout.seconds ends what goes on for longer", async () => {
  await set({ "controller.sync.timeout.seconds": "1" });
  const stuck = sketchApplication({ name: "stuck", repoURL: git.url, path: "stuck" });
  await world.kube.create(stuck, { signal: limit() });
  const { message } = await untilApplication(world.kube, "stuck", ({ phase }) => phase === "Failed");
  assert.equal(message, "Operation terminated");
});

test("a hook that has to go first is another application's: that it is gone is seen all the same", async () => {
  // Less than after what a sync looks again for what it was not told.
  await set({ "controller.sync.timeout.seconds": "20" });
  const metadata = {
    name: "migrate",
    namespace: "default",
    annotations: { "argocd.argoproj.io/tracking-id": "other:/ConfigMap:default/migrate" },
    finalizers: ["example.com/held"],
  };
  await world.kube.create({ apiVersion: "v1", kind: "ConfigMap", metadata }, { signal: limit() });
  const destination = { server: "https://kubernetes.default.svc", namespace: "default" };
  const former = sketchApplication({ name: "former", repoURL: git.url, path: "former", destination });
  await world.kube.create(former, { signal: limit() });
  await untilApplication(world.kube, "former", ({ message }) => /deletion of hook/.test(message));
  const body = { metadata: { finalizers: null } };
  await world.kube.patch(configMapRef("default", "migrate"), { type: "merge", body }, { signal: limit() });
  const { phase, message } = await untilApplication(world.kube, "former", ({ phase }) => phase !== "Running");
  assert.equal(phase, "Succeeded", message);
});

test("controller.sync.wave.delay.seconds holds the next wave, whatever happens in the cluster", async () => {
  await set({ "controller.sync.timeout.seconds": "0", "controller.sync.wave.delay.seconds": "3600" });
  const waves = sketchApplication({ name: "waves", repoURL: git.url, path: "waves" });
  await world.kube.create(waves, { signal: limit() });
  const [a, b] = [configMapRef("waves", "a"), configMapRef("waves", "b")];
  await untilObject(world, a, (object) => object !== undefined);
  for (const value of ["2", "3"]) {
    await world.kube.patch(
      a,
      { type: "merge", body: { metadata: { labels: { value } } } },
      { signal: limit() },
    );
    await world.controller.idle();
  }
  assert.equal(await readObject(world, b), undefined);
  const { phase } = await untilApplication(world.kube, "waves", ({ sync }) => sync !== "");
  assert.equal(phase, "Running");
  await set({ "controller.sync.wave.delay.seconds": "0" });
  await untilApplication(world.kube, "waves", (view) => view.phase === "Succeeded");
  assert.ok(await readObject(world, b));
});

test("a time that is none is said, and nothing is limited by it", async () => {
  await set({ "controller.sync.timeout.seconds": "-1", "controller.sync.wave.delay.seconds": "3601" });
  const { general, problems } = world.settings.current;
  assert.deepEqual(
    problems.map(({ field, problem }) => `${field} ${problem}`),
    [
      "controller.sync.timeout.seconds is not from 0 to 2147483647",
      "controller.sync.wave.delay.seconds is not from 0 to 3600",
    ],
  );
  assert.equal(general.syncTimeoutMs, 0);
});
