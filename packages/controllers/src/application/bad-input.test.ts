import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { configMapText, createGitRepository, sketchApplication, untilApplication } from "@capstan/testkit";
import {
  applicationRef,
  configMapRef,
  openSmallWorld,
  readObject,
  requestSync,
  type SmallWorld,
  untilOperation,
} from "@capstan/testkit/worlds";

const timeLimit = () => AbortSignal.timeout(100_000);

let world: SmallWorld;
before(async () => {
  world = await openSmallWorld();
});
after(() => world[Symbol.asyncDispose]());

/** Creates the application and gives the conditions that it ends up with. */
async function conditionsOf(sketch: Parameters<typeof sketchApplication>[0]): Promise<string[]> {
  await world.kube.create(sketchApplication(sketch), { signal: timeLimit() });
  const view = await untilApplication(world.kube, sketch.name, ({ conditions }) => conditions.length > 0);
  assert.equal(view.sync, "Unknown");
  assert.equal(view.health, "Unknown");
  return view.conditions.map(({ type, message }) => `${type}: ${message}`);
}

test("each mistake gets a condition that names it", async () => {
  await using git = await createGitRepository({ "app/one.yaml": configMapText("one") });
  const base = { repoURL: git.url, path: "app" };

  const repository = await conditionsOf({ name: "repository", repoURL: "file:///nowhere/at/all" });
  assert.match(repository[0] ?? "", /^ComparisonError: .*file:\/\/\/nowhere\/at\/all/);

  const path = await conditionsOf({ name: "path", repoURL: git.url, path: "missing" });
  assert.match(path[0] ?? "", /^ComparisonError: .*missing: app path does not exist/);

  const revision = await conditionsOf({
    name: "revision",
    ...base,
    source: { targetRevision: "nope" },
  });
  assert.match(revision[0] ?? "", /^ComparisonError: .*nope/);

  const project = await conditionsOf({ name: "project", ...base, project: "unknown" });
  assert.match(
    project[0] ?? "",
    /^InvalidSpecError: .*project unknown which does not exist, or is not allowed/,
  );

  const tools = await conditionsOf({
    name: "tools",
    ...base,
    source: { helm: { releaseName: "a" }, kustomize: { namePrefix: "b" } },
  });
  assert.match(tools[0] ?? "", /helm.*kustomize|kustomize.*helm/);

  const expression = await conditionsOf({
    name: "expression",
    ...base,
    ignoreDifferences: [{ kind: "ConfigMap", jqPathExpressions: [".data", ".data["] }],
  });
  assert.match(
    expression[0] ?? "",
    /^ComparisonError: .*spec\.ignoreDifferences\[0\]\.jqPathExpressions\[1\].*".data\[" cannot be evaluated: syntax error/,
  );

  const cluster = await conditionsOf({
    name: "cluster",
    ...base,
    destination: { name: "elsewhere", namespace: "web" },
  });
  assert.match(cluster[0] ?? "", /^InvalidSpecError: .*elsewhere/);
});

test("a project's limits are told, and nothing is deployed", async () => {
  await using git = await createGitRepository({ "app/one.yaml": configMapText("one") });
  const spec = { sourceRepos: ["https://example.com/*"], destinations: [{ server: "*", namespace: "only" }] };
  const metadata = { name: "narrow", namespace: "argocd" };
  await world.kube.create(
    { apiVersion: "argoproj.io/v1alpha1", kind: "AppProject", metadata, spec },
    { signal: timeLimit() },
  );
  const found = await conditionsOf({ name: "limited", repoURL: git.url, path: "app", project: "narrow" });
  assert.match(found[0] ?? "", /is not permitted in project 'narrow'/);
  assert.equal(await readObject(world, configMapRef("limited", "one")), undefined);
});

test("a kind that the project forbids fails the sync before anything is applied", async () => {
  const role =
    "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: wide}\nrules: []\n";
  await using git = await createGitRepository({
    "app/one.yaml": configMapText("one"),
    "app/role.yaml": role,
  });
  const spec = { sourceRepos: ["*"], destinations: [{ server: "*", namespace: "*" }] };
  const metadata = { name: "tight", namespace: "argocd" };
  await world.kube.create(
    { apiVersion: "argoproj.io/v1alpha1", kind: "AppProject", metadata, spec },
    { signal: timeLimit() },
  );
  const app = sketchApplication({
    name: "forbidden",
    repoURL: git.url,
    path: "app",
    project: "tight",
    syncPolicy: {},
  });
  await world.kube.create(app, { signal: timeLimit() });
  await untilApplication(world.kube, "forbidden", ({ sync }) => sync === "OutOfSync");
  await requestSync(world, "forbidden");
  const view = await untilOperation(world, "forbidden");
  assert.equal(view.phase, "Failed");
  assert.match(view.message, /ClusterRole is not permitted in project tight/);
  assert.equal(await readObject(world, configMapRef("forbidden", "one")), undefined);
});

test("an object that the cluster refuses keeps all others from being applied", async () => {
  const bad = "apiVersion: v1\nkind: Service\nmetadata: {name: bad}\nspec: {portz: [{port: 80}]}\n";
  await using git = await createGitRepository({ "app/one.yaml": configMapText("one"), "app/bad.yaml": bad });
  const app = sketchApplication({ name: "refused", repoURL: git.url, path: "app", syncPolicy: {} });
  await world.kube.create(app, { signal: timeLimit() });
  await untilApplication(world.kube, "refused", ({ sync }) => sync === "OutOfSync");
  await requestSync(world, "refused", { syncOptions: ["CreateNamespace=true"] });
  const view = await untilOperation(world, "refused");
  assert.equal(view.phase, "Failed");
  assert.match(view.message, /Service refused\/bad/);
  assert.equal(await readObject(world, configMapRef("refused", "one")), undefined);
});

test("nor is any other applied where the one that comes first is refused", async () => {
  const bad = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: bad}\nautomount: true\n";
  await using git = await createGitRepository({ "app/one.yaml": configMapText("one"), "app/bad.yaml": bad });
  // One that is there: the first change is an object of the application.
  const destination = { server: "https://kubernetes.default.svc", namespace: "default" };
  const sketch = { name: "first", repoURL: git.url, path: "app", destination, syncPolicy: {} };
  await world.kube.create(sketchApplication(sketch), { signal: timeLimit() });
  await untilApplication(world.kube, "first", ({ sync }) => sync === "OutOfSync");
  await requestSync(world, "first");
  const view = await untilOperation(world, "first");
  assert.equal(view.phase, "Failed");
  assert.match(view.message, /\(dry run\): ServiceAccount default\/bad/);
  assert.equal(await readObject(world, configMapRef("default", "one")), undefined);
});

test("a Secret's values stand neither in the status nor in events", async () => {
  const secret =
    "apiVersion: v1\nkind: Secret\nmetadata: {name: keys}\nstringData: {token: {nested: hunter2-is-no-text}}\n";
  await using git = await createGitRepository({ "app/keys.yaml": secret });
  await world.kube.create(sketchApplication({ name: "secret", repoURL: git.url, path: "app" }), {
    signal: timeLimit(),
  });
  await untilApplication(world.kube, "secret", ({ message }) => message.includes("keys"));
  const app = await readObject(world, applicationRef("secret"));
  const events = await world.kube.list({ apiVersion: "v1", kind: "Event", namespace: "argocd" }, timeLimit());
  for (const text of [JSON.stringify(app), JSON.stringify(events.items), JSON.stringify(world.log)]) {
    assert.ok(!text.includes("hunter2"), text);
  }
});
