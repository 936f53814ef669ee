import assert from "node:assert/strict";
import { test } from "node:test";
import {
  applicationRef,
  configMapRef,
  configMapText,
  createGitRepository,
  eventually,
  isSettled,
  openSmallWorld,
  readObject,
  refresh,
  requestSync,
  type SmallWorld,
  sketchApplication,
  untilApplication,
  untilObject,
  untilOperation,
} from "@capstan/testkit";

const limit = () => AbortSignal.timeout(100_000);
const cascade = "resources-finalizer.argocd.argoproj.io";

async function patchProject(world: SmallWorld, spec: Record<string, unknown>): Promise<void> {
  const ref = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "AppProject",
    namespace: "argocd",
    name: "default",
  };
  await world.kube.patch(ref, { type: "merge", body: { spec } }, { signal: limit() });
}

async function patchSettings(world: SmallWorld, data: Record<string, string | null>): Promise<void> {
  const ref = { apiVersion: "v1", kind: "ConfigMap", namespace: "argocd", name: "argocd-cm" };
  const metadata = { name: ref.name, namespace: ref.namespace };
  if (await world.kube.get(ref, limit()))
    await world.kube.patch(ref, { type: "merge", body: { data } }, { signal: limit() });
  else await world.kube.create({ apiVersion: "v1", kind: "ConfigMap", metadata, data }, { signal: limit() });
}

const isBlocked = ({ conditions }: { conditions: readonly { type: string }[] }) =>
  conditions.some(({ type }) => type === "NotHonouredError");

test("what a project demands of commits and nobody verifies keeps them out, until it is no longer demanded", async () => {
  await using git = await createGitRepository({ "app/one.yaml": configMapText("one") });
  await using world = await openSmallWorld();
  await patchProject(world, { signatureKeys: [{ keyID: "4AEE18F83AFDEB23" }] });
  const app = sketchApplication({ name: "web", repoURL: git.url, path: "app" });
  await world.kube.create(
    { ...app, metadata: { ...app.metadata, finalizers: [cascade] } },
    { signal: limit() },
  );
  const view = await untilApplication(world.kube, "web", (one) => isBlocked(one) && one.sync === "OutOfSync");
  assert.match(view.conditions[0]?.message ?? "", /project default: spec\.signatureKeys is not honoured/);
  await requestSync(world, "web");
  const ended = await untilOperation(world, "web");
  assert.equal(ended.phase, "Error");
  assert.match(ended.message, /signatureKeys is not honoured/);
  assert.equal(await readObject(world, configMapRef("web", "one")), undefined);

  await patchProject(world, { signatureKeys: null });
  await untilApplication(world.kube, "web", (one) => !isBlocked(one));
  await requestSync(world, "web", { syncOptions: ["CreateNamespace=true"] });
  await untilApplication(world.kube, "web", isSettled);
  await patchProject(world, {
    sourceIntegrity: { git: { policies: [{ repos: [{ url: "*" }], gpg: { mode: "strict", keys: ["A"] } }] } },
  });
  await git.commit({ "app/one.yaml": undefined, "app/two.yaml": configMapText("two") });
  await refresh(world, "web");
  await untilApplication(world.kube, "web", (one) => isBlocked(one) && one.sync === "OutOfSync");
  await world.kube.delete(applicationRef("web"), { signal: limit() });
  const held = await untilApplication(world.kube, "web", ({ conditions }) =>
    conditions.some(({ type }) => type === "DeletionError"),
  );
  assert.match(held.conditions.map(({ message }) => message).join(), /deletion of its objects/);
  assert.notEqual(await readObject(world, configMapRef("web", "one")), undefined);
  await patchProject(world, { sourceIntegrity: null });
  await untilObject(world, configMapRef("web", "one"), (object) => object === undefined);
});

test("a submodule that is not fetched prunes nothing", async () => {
  await using git = await createGitRepository({
    "app/one.yaml": configMapText("one"),
    "app/sub/two.yaml": configMapText("two"),
  });
  await using world = await openSmallWorld();
  const source = { directory: { recurse: true } };
  await world.kube.create(sketchApplication({ name: "web", repoURL: git.url, path: "app", source }), {
    signal: limit(),
  });
  await untilApplication(world.kube, "web", isSettled);
  await git.git("rm", "-r", "--quiet", "app/sub");
  await git.git("update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},app/sub`);
  await git.git("commit", "--quiet", "-m", "It is a submodule now");
  await refresh(world, "web");
  const view = await untilApplication(world.kube, "web", ({ sync }) => sync === "Unknown");
  assert.match(view.conditions.map(({ message }) => message).join(), /submodule app\/sub/);
  await requestSync(world, "web", { prune: true });
  await untilApplication(world.kube, "web", ({ phase }) => phase === "Error");
  assert.notEqual(await readObject(world, configMapRef("web", "two")), undefined);
});

test("exclusions with a typing error exclude what they did before, and that is said once", async () => {
  await using git = await createGitRepository({
    "app/one.yaml": configMapText("one"),
    "app/account.yaml": "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: robot}\n",
  });
  await using world = await openSmallWorld();
  const robot = { apiVersion: "v1", kind: "ServiceAccount", namespace: "web", name: "robot" };
  await patchSettings(world, { "resource.exclusions": "- kinds: [ServiceAccount]\n" });
  await eventually(() => world.settings.current.general.exclusions.length === 1 || undefined, {
    signal: limit(),
    describe: () => "",
  });
  await patchSettings(world, { "resource.exclusions": "- kinds: [ServiceAccount\n" });
  await eventually(() => world.settings.current.unreadable.length === 1 || undefined, {
    signal: limit(),
    describe: () => "",
  });
  await world.kube.create(sketchApplication({ name: "web", repoURL: git.url, path: "app" }), {
    signal: limit(),
  });
  await untilApplication(world.kube, "web", isSettled);
  assert.equal(await readObject(world, robot), undefined);
  const said = world.log.filter(({ message }) =>
    /resource\.exclusions .*the value of before stays in force/s.test(message),
  );
  assert.equal(said.length, 1);
});

test("what has no effect is said as conditions that come and go, and keeps nothing from being synced", async () => {
  await using git = await createGitRepository({ "app/one.yaml": configMapText("one") });
  await using world = await openSmallWorld();
  const syncPolicy = { automated: {}, syncOptions: ["CreateNamespace=true", "Foo=bar"] };
  await world.kube.create(sketchApplication({ name: "web", repoURL: git.url, path: "app", syncPolicy }), {
    signal: limit(),
  });
  const said = ({ conditions }: { conditions: readonly { type: string; message: string }[] }) =>
    conditions.filter(({ type }) => type === "NotHonoured").map(({ message }) => message);
  const view = await untilApplication(world.kube, "web", (one) => isSettled(one) && said(one).length === 1);
  assert.match(said(view)[0] ?? "", /sync option Foo=bar is not honoured/);
  const annotate = (hydrate: string | null) =>
    world.kube.patch(
      applicationRef("web"),
      { type: "merge", body: { metadata: { annotations: { "argocd.argoproj.io/hydrate": hydrate } } } },
      { signal: limit() },
    );
  await annotate("normal");
  await untilApplication(world.kube, "web", (one) => said(one).length === 2);
  await annotate(null);
  await untilApplication(world.kube, "web", (one) => said(one).length === 1);
  await world.controller.idle();
  const lines = world.log.filter(({ message }) => message === "settings that are not honoured");
  assert.equal(lines.length, 2);
});
