import assert from "node:assert/strict";
import { test } from "node:test";
import {
  configMapText,
  createGitRepository,
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
  requestSync,
  type SmallWorld,
} from "@capstan/testkit/worlds";

const limit = () => AbortSignal.timeout(100_000);

async function patchSettings(world: SmallWorld, data: Record<string, string | null>): Promise<void> {
  const ref = { apiVersion: "v1", kind: "ConfigMap", namespace: "argocd", name: "argocd-cm" };
  const metadata = { name: ref.name, namespace: ref.namespace };
  if (await world.kube.get(ref, limit()))
    await world.kube.patch(ref, { type: "merge", body: { data } }, { signal: limit() });
  else await world.kube.create({ apiVersion: "v1", kind: "ConfigMap", metadata, data }, { signal: limit() });
}

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
