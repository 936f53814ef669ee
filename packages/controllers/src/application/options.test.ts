import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  configMapText,
  createGitRepository,
  deploymentText,
  eventually,
  type Files,
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
  untilOperation,
} from "@capstan/testkit/worlds";

const timeLimit = () => AbortSignal.timeout(100_000);
const syncOption = (text: string) => ({ annotations: { "argocd.argoproj.io/sync-options": text } });

let shared: SmallWorld;
before(async () => {
  shared = await openSmallWorld();
});
after(() => shared[Symbol.asyncDispose]());
let placed = 0;

/** An application of its own in the world of this file, with its name and its namespace. */
async function place(files: Files, spec: Record<string, unknown> = {}) {
  const git = await createGitRepository(files);
  const world = shared;
  const name = `web-${++placed}`;
  const app = sketchApplication({ name, repoURL: git.url, path: "app" });
  await world.kube.create({ ...app, spec: { ...Object(app.spec), ...spec } }, { signal: timeLimit() });
  return { git, world, name, [Symbol.asyncDispose]: () => git[Symbol.asyncDispose]() };
}

const deploymentRef = (namespace: string) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  namespace,
  name: "web",
});

test("an ignored field is left alone by comparison and, when asked, by sync", async () => {
  const ignoreDifferences = [{ group: "apps", kind: "Deployment", jsonPointers: ["/spec/replicas"] }];
  const syncPolicy = {
    automated: { selfHeal: true },
    syncOptions: ["CreateNamespace=true", "RespectIgnoreDifferences=true"],
  };
  await using there = await place(
    { "app/web.yaml": deploymentText("web") },
    { ignoreDifferences, syncPolicy },
  );
  const { git, world, name } = there;
  await untilApplication(world.kube, name, isSettled);
  await world.kube.patch(
    deploymentRef(name),
    { type: "merge", body: { spec: { replicas: 3 } } },
    { signal: timeLimit() },
  );
  await world.controller.idle();
  assert.equal((await untilApplication(world.kube, name, ({ sync }) => sync !== "")).sync, "Synced");
  await git.commit({ "app/web.yaml": deploymentText("web", { image: "nginx:1.28" }) });
  await refresh(world, name);
  await untilObject(world, deploymentRef(name), (object) => JSON.stringify(object).includes("nginx:1.28"));
  assert.equal(await Object((await readObject(world, deploymentRef(name)))?.spec).replicas, 3);
});

test("several sources make one application; the later one wins", async () => {
  await using other = await createGitRepository({
    "more/two.yaml": configMapText("two", "2"),
    "more/one.yaml": configMapText("one", "other"),
  });
  await using git = await createGitRepository({ "app/one.yaml": configMapText("one") });
  const world = shared;
  const app = sketchApplication({ name: "several", repoURL: git.url, path: "app" });
  const { source: _, ...spec } = Object(app.spec);
  const sources = [
    { repoURL: git.url, path: "app", targetRevision: "main" },
    { repoURL: other.url, path: "more", targetRevision: "main" },
  ];
  await world.kube.create({ ...app, spec: { ...spec, sources } }, { signal: timeLimit() });
  const view = await untilApplication(world.kube, "several", isSettled);
  assert.deepEqual(view.resources.map(({ name }) => name).sort(), ["one", "two"]);
  assert.match(view.conditions[0]?.message ?? "", /appeared 2 times/);
  assert.deepEqual((await readObject(world, configMapRef("several", "one")))?.data, { key: "other" });
  const status = Object((await readObject(world, applicationRef("several")))?.status);
  assert.equal(status.sync.revisions.length, 2);
  assert.equal(status.sync.comparedTo.sources.length, 2);
});

test("Prune=false keeps what left git, and says so", async () => {
  await using there = await place({
    "app/one.yaml": configMapText("one"),
    "app/two.yaml": configMapText("two", "1", syncOption("Prune=false")),
  });
  const { git, world, name } = there;
  await untilApplication(world.kube, name, isSettled);
  const revision = await git.commit({ "app/two.yaml": undefined, "app/one.yaml": configMapText("one", "2") });
  await refresh(world, name);
  await untilApplication(
    world.kube,
    name,
    ({ revision: at, phase }) => at === revision && phase === "Succeeded",
  );
  await world.controller.idle();
  assert.ok(await readObject(world, configMapRef(name, "two")));
});

test("Prune=confirm waits for a person", async () => {
  await using there = await place({
    "app/one.yaml": configMapText("one"),
    "app/two.yaml": configMapText("two", "1", syncOption("Prune=confirm")),
  });
  const { git, world, name } = there;
  await untilApplication(world.kube, name, isSettled);
  await git.commit({ "app/two.yaml": undefined });
  await refresh(world, name);
  await untilApplication(world.kube, name, ({ message }) => /confirm/.test(message));
  assert.ok(await readObject(world, configMapRef(name, "two")));
  const approved = new Date(Date.now() + 1000).toISOString();
  const body = { metadata: { annotations: { "argocd.argoproj.io/deletion-approved": approved } } };
  await world.kube.patch(applicationRef(name), { type: "merge", body }, { signal: timeLimit() });
  await untilObject(world, configMapRef(name, "two"), (object) => object === undefined);
});

test("a sync window keeps automated syncs out and lets permitted manual ones in", async () => {
  await using git = await createGitRepository({ "app/one.yaml": configMapText("one") });
  await using world = await openSmallWorld();
  const project = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "AppProject",
    namespace: "argocd",
    name: "default",
  };
  const windows = (manualSync: boolean) => ({
    spec: {
      syncWindows: [{ kind: "deny", schedule: "* * * * *", duration: "1h", applications: ["*"], manualSync }],
    },
  });
  await world.kube.patch(project, { type: "merge", body: windows(false) }, { signal: timeLimit() });
  await world.controller.idle();
  await world.kube.create(sketchApplication({ name: "web", repoURL: git.url, path: "app" }), {
    signal: timeLimit(),
  });
  await untilApplication(world.kube, "web", ({ sync }) => sync === "OutOfSync");
  await world.controller.idle();
  assert.equal((await readObject(world, applicationRef("web")))?.operation, undefined);
  await requestSync(world, "web", { syncOptions: ["CreateNamespace=true"] });
  await untilApplication(
    world.kube,
    "web",
    ({ message, phase }) => phase === "Running" && /sync window/.test(message),
  );
  await world.kube.patch(project, { type: "merge", body: windows(true) }, { signal: timeLimit() });
  assert.equal((await untilOperation(world, "web")).phase, "Succeeded");
});

test("an application of applications deploys its children", async () => {
  await using git = await createGitRepository({ "app/one.yaml": configMapText("one") });
  const child = JSON.stringify(sketchApplication({ name: "child", repoURL: git.url, path: "app" }));
  await git.commit({ "parent/child.json": child });
  const world = shared;
  const destination = { server: "https://kubernetes.default.svc", namespace: "argocd" };
  await world.kube.create(
    sketchApplication({ name: "parent", repoURL: git.url, path: "parent", destination }),
    { signal: timeLimit() },
  );
  await untilApplication(world.kube, "child", isSettled);
  await untilApplication(world.kube, "parent", isSettled);
  const parent = await readObject(world, applicationRef("parent"));
  assert.equal(Object(parent?.status).summary.isAppOfApps, true);
});

test("skip-reconcile leaves an application alone", async () => {
  await using git = await createGitRepository({ "app/one.yaml": configMapText("one") });
  const world = shared;
  const app = sketchApplication({ name: "skipped", repoURL: git.url, path: "app" });
  const annotations = { "argocd.argoproj.io/skip-reconcile": "true" };
  await world.kube.create({ ...app, metadata: { ...app.metadata, annotations } }, { signal: timeLimit() });
  await world.controller.idle();
  assert.equal((await readObject(world, applicationRef("skipped")))?.status, undefined);
  const body = { metadata: { annotations: { "argocd.argoproj.io/skip-reconcile": null } } };
  await world.kube.patch(applicationRef("skipped"), { type: "merge", body }, { signal: timeLimit() });
  await untilApplication(world.kube, "skipped", isSettled);
  await world.kube.patch(
    applicationRef("skipped"),
    { type: "merge", body: { metadata: { annotations } } },
    { signal: timeLimit() },
  );
  await world.controller.idle();
  const revision = await git.commit({ "app/one.yaml": configMapText("two") });
  await world.kube.patch(applicationRef("skipped"), { type: "merge", body }, { signal: timeLimit() });
  await untilApplication(world.kube, "skipped", ({ revision: seen }) => seen === revision);
});

test("metrics carry Argo CD's names", async () => {
  await using there = await place({ "app/one.yaml": configMapText("one") });
  const { world, name } = there;
  await untilApplication(world.kube, name, isSettled);
  await world.controller.idle();
  const text = await world.metrics.metrics();
  assert.match(text, new RegExp(`argocd_app_info\\{[^}]*name="${name}"[^}]*sync_status="Synced"`));
  assert.match(
    text,
    new RegExp(`argocd_app_sync_total\\{[^}]*name="${name}"[^}]*phase="Succeeded"[^}]*\\} 1`),
  );
  assert.match(text, /argocd_app_reconcile_count\{/);
});

test("labels of the destination namespace are kept as the application says", async () => {
  const syncPolicy = {
    automated: {},
    syncOptions: ["CreateNamespace=true"],
    managedNamespaceMetadata: { labels: { team: "a", former: "b" } },
  };
  await using there = await place({ "app/one.yaml": configMapText("one") }, { syncPolicy });
  const { world, name } = there;
  await untilApplication(world.kube, name, isSettled);
  const ref = { apiVersion: "v1", kind: "Namespace", name };
  const namespace = await readObject(world, ref);
  assert.equal(namespace?.metadata.labels?.team, "a");
  const alone = { "argocd.argoproj.io/sync-options": "ServerSideApply=true" };
  assert.deepEqual(namespace?.metadata.annotations, alone, "what Argo CD gives it, and no tracking");
  // Of others, and what is asked for no longer.
  await world.kube.patch(
    ref,
    { type: "merge", body: { metadata: { labels: { others: "c" } } } },
    { signal: timeLimit() },
  );
  const body = { spec: { syncPolicy: { managedNamespaceMetadata: { labels: { former: null } } } } };
  await world.kube.patch(applicationRef(name), { type: "merge", body }, { signal: timeLimit() });
  await requestSync(world, name, { syncOptions: syncPolicy.syncOptions });
  const changed = await untilObject(world, ref, (object) => object?.metadata.labels?.former === undefined);
  assert.deepEqual([changed?.metadata.labels?.team, changed?.metadata.labels?.others], ["a", "c"]);
});

test("a sync that only makes the namespace ends, and nobody waits for it", async () => {
  await using there = await place({ "app/README.md": "nothing yet\n" });
  const { world, name } = there;
  await untilApplication(world.kube, name, ({ sync }) => sync !== "");
  await requestSync(world, name, { syncOptions: ["CreateNamespace=true"] });
  assert.equal((await untilOperation(world, name)).phase, "Succeeded");
  assert.ok(await readObject(world, { apiVersion: "v1", kind: "Namespace", name }));
});

test("applications may live in namespaces that the settings and the project permit", async () => {
  await using git = await createGitRepository({ "app/one.yaml": configMapText("one") });
  await using world = await openSmallWorld();
  const signal = timeLimit();
  await world.kube.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "team-a" } }, { signal });
  const metadata = { name: "argocd-cmd-params-cm", namespace: "argocd" };
  await world.kube.create(
    { apiVersion: "v1", kind: "ConfigMap", metadata, data: { "application.namespaces": "team-*" } },
    { signal },
  );
  const isRead = () => world.settings.current.params["application.namespaces"];
  await eventually(isRead, { signal, describe: () => "the settings are not read" });
  await world.restartController();
  const project = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "AppProject",
    namespace: "argocd",
    name: "default",
  };
  await world.kube.patch(
    project,
    { type: "merge", body: { spec: { sourceNamespaces: ["team-*"] } } },
    { signal },
  );
  const app = sketchApplication({ name: "web", repoURL: git.url, path: "app" });
  await world.kube.create({ ...app, metadata: { name: "web", namespace: "team-a" } }, { signal });
  const one = await untilObject(world, configMapRef("web", "one"), (object) => object !== undefined);
  assert.match(one?.metadata.annotations?.["argocd.argoproj.io/tracking-id"] ?? "", /^team-a_web:/);
});

test("git may use another version of a kind than the cluster prefers", async () => {
  const autoscaler = `apiVersion: autoscaling/v1
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  minReplicas: 1
  maxReplicas: 3
  targetCPUUtilizationPercentage: 80
`;
  await using there = await place({ "app/web.yaml": deploymentText("web"), "app/scale.yaml": autoscaler });
  const { world, name } = there;
  await untilApplication(world.kube, name, ({ sync }) => sync === "Synced");
  await world.controller.idle();
  const before = world.requests.length;
  const body = { metadata: { labels: { extra: "1" } } };
  await world.kube.patch(deploymentRef(name), { type: "merge", body }, { signal: timeLimit() });
  await world.controller.idle();
  const writes = world.requests
    .slice(before + 1)
    .filter(({ method, url }) => method !== "GET" && url.includes("horizontalpodautoscalers"));
  assert.deepEqual(
    writes.map(({ method, url }) => `${method} ${url}`),
    [],
  );
});

test("what lacks a namespace is an invalid spec for as long as it lacks one, whatever else happens", async () => {
  const destination = { server: "https://kubernetes.default.svc" };
  await using there = await place({ "app/a.yaml": configMapText("a") }, { destination, syncPolicy: {} });
  const { world, name } = there;
  const lacking = ({ conditions }: { conditions: readonly { type: string }[] }) =>
    conditions.some(({ type }) => type === "InvalidSpecError");
  await untilApplication(world.kube, name, lacking);
  await requestSync(world, name);
  const ended = await untilOperation(world, name);
  assert.equal(ended.phase, "Error");
  assert.match(ended.message, /Namespace for a \/v1, Kind=ConfigMap is missing/);
  assert.ok(lacking(ended));
  const body = { spec: { destination: { namespace: "default" } } };
  await world.kube.patch(applicationRef(name), { type: "merge", body }, { signal: timeLimit() });
  await untilApplication(world.kube, name, (view) => !lacking(view));
});

test("the destination's namespace that leaves git for managedNamespaceMetadata is not pruned", async () => {
  const namespaceText = (name: string) => `apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ${name}\n`;
  const syncPolicy = { automated: { prune: true } };
  const next = `web-${placed + 1}`;
  await using there = await place(
    { "app/a.yaml": configMapText("a"), "app/n.yaml": namespaceText(next) },
    { syncPolicy },
  );
  const { git, world, name } = there;
  assert.equal(name, next);
  await untilApplication(world.kube, name, isSettled);
  const managedNamespaceMetadata = { labels: { team: "web" } };
  const body = { spec: { syncPolicy: { ...syncPolicy, managedNamespaceMetadata } } };
  await world.kube.patch(applicationRef(name), { type: "merge", body }, { signal: timeLimit() });
  const revision = await git.commit({ "app/n.yaml": undefined, "app/b.yaml": configMapText("b") });
  await refresh(world, name);
  await untilApplication(world.kube, name, (view) => isSettled(view) && view.revision === revision);
  const namespace = await readObject(world, { apiVersion: "v1", kind: "Namespace", name });
  assert.equal(namespace?.metadata.deletionTimestamp, undefined);
  assert.equal(namespace?.metadata.labels?.team, "web");
});
