import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isRecord } from "@capstan/formats";
import {
  type ApplicationView,
  configMapText,
  createGitRepository,
  sketchApplication,
  sketchProject,
  untilApplication,
} from "@capstan/testkit";
import { applicationRef, openSmallWorld, type SmallWorld } from "@capstan/testkit/worlds";

const limit = () => AbortSignal.timeout(100_000);
const type = "OrphanedResourceWarning";
const server = "https://kubernetes.default.svc";

let git: Awaited<ReturnType<typeof createGitRepository>>;
let world: SmallWorld;

before(async () => {
  git = await createGitRepository({
    "one/a.yaml": configMapText("a"),
    "two/b.yaml": configMapText("b"),
    "more/a.yaml": configMapText("a"),
  });
  world = await openSmallWorld();
});

after(async () => {
  await world[Symbol.asyncDispose]();
  await git[Symbol.asyncDispose]();
});

/** Two applications of two projects in one namespace; the first project watches for orphans. */
async function share(namespace: string): Promise<{ one: string; two: string }> {
  const names = { one: `${namespace}-one`, two: `${namespace}-two` };
  const destinations = [{ server, namespace }];
  const watched = { destinations, orphanedResources: { warn: true } };
  const given = { signal: limit() };
  await world.kube.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }, given);
  await world.kube.create(sketchProject(names.one, watched), given);
  await world.kube.create(sketchProject(names.two, { destinations }), given);
  for (const [path, name] of Object.entries(names)) {
    const destination = { server, namespace };
    const app = sketchApplication({ name, repoURL: git.url, path, project: name, destination });
    await world.kube.create(app, given);
  }
  for (const name of Object.values(names))
    await untilApplication(world.kube, name, ({ sync }) => sync === "Synced");
  return names;
}

const configMap = (namespace: string, name: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace, ...more },
});
const said = ({ conditions }: ApplicationView) => conditions.find((one) => one.type === type)?.message;
const until = (name: string, message: string | undefined) =>
  untilApplication(world.kube, name, (view) => said(view) === message);
const change = (name: string, spec: object) =>
  world.kube.patch(
    { apiVersion: "argoproj.io/v1alpha1", kind: "AppProject", namespace: "argocd", name },
    { type: "merge", body: { spec } },
    { signal: limit() },
  );
const warning = (count: number) => `Application has ${count} orphaned resources`;

test("objects that nobody has are said where the project asks, as they come and go", async () => {
  const { one, two } = await share("shared");
  assert.equal(said(await untilApplication(world.kube, one, ({ sync }) => sync === "Synced")), undefined);
  const free = await world.kube.create(configMap("shared", "free"), { signal: limit() });
  await until(one, warning(1));
  const ownerReferences = [
    { apiVersion: "v1", kind: "ConfigMap", name: "free", uid: String(free.metadata.uid) },
  ];
  await world.kube.create(configMap("shared", "below", { ownerReferences }), { signal: limit() });
  await until(one, warning(2));
  const view = await untilApplication(world.kube, two, ({ sync }) => sync === "Synced");
  assert.equal(said(view), undefined, "the other project does not ask");
  assert.match(
    await world.metrics.metrics(),
    new RegExp(`argocd_app_orphaned_resources_count\\{[^}]*name="${one}"[^}]*\\} 2`),
  );
  await change(one, { orphanedResources: { warn: true, ignore: [{ group: "Test", kind: "ConfigMap" }] } });
  await change(one, { orphanedResources: { warn: false } });
  await until(one, undefined);
  await change(one, { orphanedResources: { warn: true } });
  await until(one, warning(2));
  await change(one, { orphanedResources: { warn: true, ignore: [{ kind: "ConfigMap", name: "f*" }] } });
  await until(one, undefined);
  await change(one, { orphanedResources: { warn: true, ignore: null } });
  await until(one, warning(2));
  await world.kube.delete(
    { apiVersion: "v1", kind: "ConfigMap", namespace: "shared", name: "free" },
    { signal: limit() },
  );
  await until(one, undefined);
});

test("what an application leaves behind is nobody's; what one takes is its own", async () => {
  const { one, two } = await share("left");
  const source = { path: "more" };
  await world.kube.patch(
    applicationRef(one),
    { type: "merge", body: { spec: { source } } },
    { signal: limit() },
  );
  await world.kube.delete(applicationRef(two), { signal: limit() });
  await until(one, warning(1));
  await world.kube.create(configMap("left", "free"), { signal: limit() });
  await until(one, warning(2));
  await git.commit({ "more/free.yaml": configMapText("free") });
  await world.kube.patch(
    applicationRef(one),
    { type: "merge", body: { metadata: { annotations: { "argocd.argoproj.io/refresh": "normal" } } } },
    { signal: limit() },
  );
  await until(one, warning(1));
});

test("a kind that the project does not permit is not even counted", async () => {
  const { one } = await share("hidden");
  await change(one, { namespaceResourceBlacklist: [{ group: "", kind: "Secret" }] });
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s", namespace: "hidden" } };
  await world.kube.create(secret, { signal: limit() });
  await world.kube.create(configMap("hidden", "free"), { signal: limit() });
  await until(one, warning(1));
  await change(one, { namespaceResourceBlacklist: null });
  await until(one, warning(2));
});

test("a project that does not watch has nothing looked at anew for the objects of others", async () => {
  const { one, two } = await share("quiet");
  await change(one, { orphanedResources: null });
  await world.controller.idle();
  const runs = () =>
    world.log.filter(({ facts }) => isRecord(facts) && String(facts.app).includes(two)).length;
  const before = runs();
  await world.kube.create(configMap("quiet", "free"), { signal: limit() });
  await until(one, undefined);
  await world.controller.idle();
  assert.equal(runs(), before);
});
