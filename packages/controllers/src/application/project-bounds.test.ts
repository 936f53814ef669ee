import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  configMapText,
  createGitRepository,
  type Files,
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
  untilObject,
  untilOperation,
} from "@capstan/testkit/worlds";

type Git = Awaited<ReturnType<typeof createGitRepository>>;

const timeLimit = () => AbortSignal.timeout(100_000);
const server = "https://kubernetes.default.svc";
const hook = (name: string, type: string, namespace: string) =>
  configMapText(name, "1", { namespace, annotations: { "argocd.argoproj.io/hook": type } });
const binding = (type: string) => `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: ${type.toLowerCase()}, annotations: {argocd.argoproj.io/hook: ${type}}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: []
`;

/** Each folder is an application's; project team permits namespace team-a and nothing else. */
const files: Files = {
  "foreign/one.yaml": configMapText("fine"),
  "foreign/two.yaml": configMapText("taken", "1", { namespace: "victim" }),
  "control/rbac.yaml": configMapText("argocd-rbac-cm", "g, alice, role:admin", { namespace: "argocd" }),
  ...Object.fromEntries(
    ["PreSync", "Sync", "PostSync", "SyncFail"].map((type) => [
      `hooks/${type}.yaml`,
      hook(`at-${type.toLowerCase()}`, type, "victim"),
    ]),
  ),
  "hooks/own.yaml": configMapText("own"),
  "before/hook.yaml": binding("PreDelete"),
  "after/hook.yaml": binding("PostDelete"),
  "owner/one.yaml": configMapText("owned"),
  "made/one.yaml": configMapText("one"),
  "other/one.yaml": configMapText("one"),
  "resumed/one.yaml": configMapText("one"),
  "fresh/one.yaml": configMapText("one"),
};

let git: Git;
/** That no project but those that permit everything may use. */
let foreign: Git;
let world: SmallWorld;

before(async () => {
  git = await createGitRepository(files);
  foreign = await createGitRepository({ "one/taken.yaml": configMapText("taken") });
  world = await openSmallWorld();
  for (const name of ["team-a", "victim"])
    await world.kube.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }, options());
  await createProject("team", { destinations: [{ server, namespace: "team-a" }] });
  await createProject("bound", { sourceRepos: [git.url], destinations: [{ server, namespace: "team-a" }] });
  await createProject("maker", { destinations: [{ server, namespace: "made-*" }] });
});

after(async () => {
  await world[Symbol.asyncDispose]();
  await git[Symbol.asyncDispose]();
  await foreign[Symbol.asyncDispose]();
});

const options = () => ({ signal: timeLimit() });

function createProject(name: string, spec: Record<string, unknown>) {
  const metadata = { name, namespace: "argocd" };
  const project = { apiVersion: "argoproj.io/v1alpha1", kind: "AppProject", metadata };
  return world.kube.create({ ...project, spec: { sourceRepos: ["*"], ...spec } }, options());
}

interface Given {
  project?: string;
  namespace?: string;
  syncPolicy?: Record<string, unknown>;
  sync?: Record<string, unknown>;
  finalizers?: string[];
}

async function create(path: string, given: Given = {}): Promise<void> {
  const { project = "team", namespace = "team-a", syncPolicy = {}, finalizers = [] } = given;
  const destination = { server, namespace };
  const app = sketchApplication({ name: path, repoURL: git.url, path, project, destination, syncPolicy });
  await world.kube.create({ ...app, metadata: { ...app.metadata, finalizers } }, options());
}

async function syncFails(path: string, given?: Given): Promise<string> {
  await create(path, given);
  await untilApplication(world.kube, path, ({ sync }) => sync !== "");
  await requestSync(world, path, given?.sync);
  const { phase, message } = await untilOperation(world, path);
  assert.equal(phase, "Failed");
  return message;
}

test("an object in a namespace that the project forbids fails the sync before anything is applied", async () => {
  const message = await syncFails("foreign");
  assert.match(message, /ConfigMap victim\/taken: namespace victim is not permitted in project 'team'/);
  assert.equal(await readObject(world, configMapRef("victim", "taken")), undefined);
  assert.equal(await readObject(world, configMapRef("team-a", "fine")), undefined);
  const view = await untilApplication(world.kube, "foreign", ({ sync }) => sync === "OutOfSync");
  assert.equal(view.resources.find(({ name }) => name === "taken")?.status, "Unknown");
});

test("nor does a project reach the control namespace unless it permits it", async () => {
  const message = await syncFails("control");
  assert.match(message, /namespace argocd is not permitted in project 'team'/);
  assert.equal(await readObject(world, configMapRef("argocd", "argocd-rbac-cm")), undefined);
});

test("hooks of every phase are judged before the first of them runs", async () => {
  const message = await syncFails("hooks");
  for (const type of ["presync", "sync", "postsync", "syncfail"])
    assert.match(message, new RegExp(`ConfigMap victim/at-${type}: namespace victim is not permitted`));
  for (const type of ["presync", "sync", "postsync", "syncfail"])
    assert.equal(await readObject(world, configMapRef("victim", `at-${type}`)), undefined);
});

for (const [path, type] of [
  ["before", "PreDelete"],
  ["after", "PostDelete"],
] as const) {
  test(`a ${type} hook does nothing that the project forbids`, async () => {
    await create(path, { finalizers: [] });
    await untilObject(world, applicationRef(path), (app) => (app?.metadata.finalizers ?? []).length > 0);
    await world.kube.delete(applicationRef(path), options());
    const { conditions } = await untilApplication(world.kube, path, (view) =>
      view.conditions.some((one) => one.type === "DeletionError"),
    );
    const [refusal] = conditions.filter((one) => one.type === "DeletionError");
    assert.match(refusal?.message ?? "", /ClusterRoleBinding is not permitted in project team/);
    const ref = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      name: type.toLowerCase(),
    };
    assert.equal(await readObject(world, ref), undefined);
  });
}

test("CreateNamespace asks the project for the Namespace, as for any other object", async () => {
  const sync = { syncOptions: ["CreateNamespace=true"] };
  const message = await syncFails("made", { project: "maker", namespace: "made-1", sync });
  assert.match(message, /resource :Namespace is not permitted in project maker/);
  assert.equal(await readObject(world, { apiVersion: "v1", kind: "Namespace", name: "made-1" }), undefined);
});

test("what carries the tracking of an application where it may not be is neither shown, pruned nor deleted", async () => {
  const trackingId = (namespace: string) => `owner:/ConfigMap:${namespace}/planted`;
  for (const namespace of ["victim", "team-a"]) {
    const annotations = { "argocd.argoproj.io/tracking-id": trackingId(namespace) };
    const metadata = { name: "planted", namespace, annotations };
    await world.kube.create({ apiVersion: "v1", kind: "ConfigMap", metadata }, options());
  }
  const finalizers = ["resources-finalizer.argocd.argoproj.io"];
  await create("owner", { syncPolicy: { automated: { prune: true } }, finalizers });
  await untilObject(world, configMapRef("team-a", "planted"), (object) => object === undefined);
  const before = await untilApplication(world.kube, "owner", ({ sync }) => sync === "Synced");
  assert.deepEqual(
    before.resources.map(({ name }) => name),
    ["owned"],
  );
  await world.kube.delete(applicationRef("owner"), options());
  await untilObject(world, applicationRef("owner"), (app) => app === undefined);
  assert.equal(await readObject(world, configMapRef("team-a", "owned")), undefined);
  assert.ok(await readObject(world, configMapRef("victim", "planted")));
});

test("requests for an application say for whom they are made", async () => {
  await create("fresh", { namespace: "team-a" });
  await untilApplication(world.kube, "fresh", ({ sync }) => sync === "OutOfSync");
  await requestSync(world, "fresh");
  await untilObject(world, configMapRef("team-a", "one"), (object) => object !== undefined);
  const writes = world.requests.filter(
    ({ method, url }) => method !== "GET" && url.includes("/configmaps/one"),
  );
  assert.deepEqual(
    [...new Set(writes.map(({ headers }) => headers["x-capstan-for"]))],
    ["team/argocd/fresh"],
  );
});

test("an operation's own source is judged as that of the spec", async () => {
  await create("other", { project: "bound" });
  await untilApplication(world.kube, "other", ({ sync }) => sync === "OutOfSync");
  await requestSync(world, "other", { source: { repoURL: foreign.url, path: "one" } });
  const { phase, message } = await untilOperation(world, "other");
  assert.equal(phase, "Error");
  assert.match(message, /is not permitted in project 'bound'/);
  assert.equal(await readObject(world, configMapRef("team-a", "taken")), undefined);
});

test("so is that of an operation that the status says is under way", async () => {
  await create("resumed", { project: "bound" });
  await untilApplication(world.kube, "resumed", ({ sync }) => sync === "OutOfSync");
  const operation = { sync: { source: { repoURL: foreign.url, path: "one" } } };
  const operationState = { phase: "Running", startedAt: new Date().toISOString(), operation };
  const body = { operation, status: { operationState } };
  await world.kube.patch(applicationRef("resumed"), { type: "merge", body }, options());
  const { phase, message } = await untilOperation(world, "resumed");
  assert.equal(phase, "Error");
  assert.match(message, /is not permitted in project 'bound'/);
  assert.equal(await readObject(world, configMapRef("team-a", "taken")), undefined);
});
