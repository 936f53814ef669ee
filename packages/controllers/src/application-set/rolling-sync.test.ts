/** Progressive syncs with the effects: a test plays the controller of Applications. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isRecord } from "@capstan/formats";
import type { Manifest } from "@capstan/model";
import { eventually } from "@capstan/testkit";
import { listSet, openSetWorld, type SetWorld } from "@capstan/testkit/worlds";

const limit = () => AbortSignal.timeout(60_000);
const namespace = "argocd";
let sets: SetWorld;

before(async () => {
  sets = await openSetWorld();
  await turn("true");
});
after(() => sets[Symbol.asyncDispose]());

async function turn(value: string): Promise<void> {
  const { kube, settings } = sets.world;
  const key = "applicationsetcontroller.enable.progressive.syncs";
  const ref = { apiVersion: "v1", kind: "ConfigMap", namespace, name: "argocd-cmd-params-cm" };
  const body = { data: { [key]: value } };
  if (await kube.get(ref, limit())) await kube.patch(ref, { type: "merge", body }, { signal: limit() });
  else {
    const labels = { "app.kubernetes.io/part-of": "argocd" };
    const { apiVersion, kind, name } = ref;
    await kube.create(
      { apiVersion, kind, metadata: { name, namespace, labels }, ...body },
      { signal: limit() },
    );
  }
  await eventually(async () => (settings.current.params[key] === value ? true : undefined), {
    signal: limit(),
    describe: () => "the setting is not seen",
  });
}

const step = (...values: string[]) => ({ matchExpressions: [{ key: "app", operator: "In", values }] });

function rollingSet(name: string, names: readonly string[], more: object = {}): Manifest {
  const strategy = { type: "RollingSync", rollingSync: { steps: names.map((one) => step(one)) }, ...more };
  const template = {
    metadata: { name: "{{name}}", labels: { app: "{{name}}" } },
    spec: {
      project: "default",
      source: { repoURL: "https://git.example/x", path: "{{name}}", targetRevision: "main" },
      destination: { name: "in-cluster", namespace: "{{name}}" },
      syncPolicy: { automated: { prune: true } },
    },
  };
  return listSet(name, names, { spec: { template, strategy } });
}

const appRef = (name: string) => ({
  apiVersion: "argoproj.io/v1alpha1",
  kind: "Application",
  namespace,
  name,
});

/** What the controller of Applications would write of one. */
async function play(
  name: string,
  state: { sync: string; health?: string; revision?: string; more?: object },
) {
  const { sync, health = "Healthy", revision = "r1", more = {} } = state;
  const app = await sets.readApplication(name);
  const spec = isRecord(app?.spec) ? app.spec : {};
  const comparedTo = { source: spec.source, destination: spec.destination };
  const status = { sync: { status: sync, revision, comparedTo }, health: { status: health }, ...more };
  await sets.world.kube.patch(appRef(name), { type: "merge", body: { status } }, { signal: limit() });
}

/** Its operation, begun: as it is taken on, and as it ends. */
async function run(name: string, operation: unknown, phase: string): Promise<void> {
  const operationState = { operation, phase, startedAt: "2026-01-01T00:00:00Z" };
  await sets.world.kube.patch(
    appRef(name),
    {
      type: "merge",
      body: { operation: phase === "Running" ? operation : null, status: { operationState } },
    },
    { signal: limit() },
  );
}

const untilOperation = (name: string): Promise<unknown> =>
  eventually(async () => (await sets.readApplication(name))?.operation, {
    signal: limit(),
    describe: () => `${name} has no operation`,
  });

async function statesOf(name: string): Promise<string> {
  const set = await sets.readSet(name);
  const rows: unknown = isRecord(set?.status) ? set.status.applicationStatus : undefined;
  return (Array.isArray(rows) ? rows : [])
    .filter(isRecord)
    .map((one) => `${one.application}=${one.status}/${one.step}`)
    .join(" ");
}

async function untilStates(name: string, wanted: string): Promise<void> {
  let last = "";
  await eventually(
    async () => {
      last = await statesOf(name);
      return last === wanted ? true : undefined;
    },
    { signal: limit(), describe: () => `${last} is not ${wanted}` },
  );
}

/** How often the controller wrote an operation to the Application; what the test writes has a state as well. */
const startsOf = (name: string): number =>
  sets.world.requests.filter(
    ({ method, url, body = "" }) =>
      method === "PATCH" &&
      url.includes(`/applications/${name}`) &&
      body.includes("pending since") &&
      !body.includes("operationState"),
  ).length;

async function finish(name: string): Promise<void> {
  const operation = await untilOperation(name);
  await run(name, operation, "Running");
  await run(name, operation, "Succeeded");
  await play(name, { sync: "Synced" });
}

test("a rollout goes step by step, each sync is started once, and the status tells how far it is", async () => {
  await sets.create(rollingSet("roll", ["roll-a", "roll-b"]));
  await sets.untilNames("roll-", ["roll-a", "roll-b"]);
  await untilStates("roll", "roll-a=Waiting/1 roll-b=Waiting/2");
  const made = await sets.readApplication("roll-a");
  assert.deepEqual(isRecord(made?.spec) ? made.spec.syncPolicy : undefined, {
    automated: { prune: true, enabled: false },
  });
  await play("roll-a", { sync: "OutOfSync" });
  await play("roll-b", { sync: "OutOfSync" });
  const operation = await untilOperation("roll-a");
  assert.ok(isRecord(operation));
  assert.deepEqual(operation.initiatedBy, { username: "applicationset-controller", automated: true });
  assert.deepEqual(operation.sync, { prune: true });
  await untilStates("roll", "roll-a=Pending/1 roll-b=Waiting/2");
  await sets.untilSaid("roll", /^RolloutProgressing=True ApplicationSetModified: .*step 1$/);
  const set = await sets.readSet("roll");
  assert.ok(isRecord(set?.status) && isRecord(set.status.health));
  assert.equal(set.status.health.status, "Progressing");
  await finish("roll-a");
  await finish("roll-b");
  await untilStates("roll", "roll-a=Healthy/1 roll-b=Healthy/2");
  await sets.untilSaid("roll", /^RolloutProgressing=False ApplicationSetRolloutComplete/);
  await sets.untilSaid("roll", /^InvalidRolloutConfig=False/);
  assert.deepEqual([startsOf("roll-a"), startsOf("roll-b")], [1, 1]);
});

test("a controller that ends at any point of a rollout goes on, and starts nothing twice", async () => {
  await sets.create(rollingSet("kill", ["kill-a", "kill-b"]));
  await sets.untilNames("kill-", ["kill-a", "kill-b"]);
  await sets.restart();
  await untilStates("kill", "kill-a=Waiting/1 kill-b=Waiting/2");
  // It is Pending in the status, and nothing has been started: what a kill -9 between the two writes leaves.
  await sets.stop();
  await play("kill-a", { sync: "OutOfSync" });
  await play("kill-b", { sync: "OutOfSync" });
  const row = (application: string, at: string, status: string) => ({
    ...{ application, step: at, status, message: "x", targetRevisions: ["r1"] },
    lastTransitionTime: "2026-01-02T00:00:00Z",
  });
  const applicationStatus = [row("kill-a", "1", "Pending"), row("kill-b", "2", "Waiting")];
  await sets.world.kube.patch(
    { ...appRef("kill"), kind: "ApplicationSet" },
    { type: "merge", body: { status: { applicationStatus } } },
    { signal: limit(), subresource: "status" },
  );
  await sets.restart();
  const operation = await untilOperation("kill-a");
  await sets.restart();
  await run("kill-a", operation, "Running");
  await sets.restart();
  await untilStates("kill", "kill-a=Progressing/1 kill-b=Waiting/2");
  await run("kill-a", operation, "Succeeded");
  await sets.restart();
  await play("kill-a", { sync: "Synced" });
  await sets.restart();
  await finish("kill-b");
  await untilStates("kill", "kill-a=Healthy/1 kill-b=Healthy/2");
  assert.deepEqual([startsOf("kill-a"), startsOf("kill-b")], [1, 1]);
});

test("a change of the specification is rolled out step by step as a change in git is", async () => {
  await sets.create(rollingSet("spec", ["spec-a", "spec-b"]));
  await sets.untilNames("spec-", ["spec-a", "spec-b"]);
  for (const name of ["spec-a", "spec-b"]) await play(name, { sync: "Synced" });
  await untilStates("spec", "spec-a=Healthy/1 spec-b=Healthy/2");
  assert.equal(startsOf("spec-a"), 0);
  const source = { repoURL: "https://git.example/x", path: "{{name}}", targetRevision: "next" };
  await sets.change("spec", { spec: { template: { spec: { source } } } });
  await untilStates("spec", "spec-a=Waiting/1 spec-b=Waiting/2");
  for (const name of ["spec-a", "spec-b"]) await play(name, { sync: "OutOfSync" });
  await finish("spec-a");
  await finish("spec-b");
  await untilStates("spec", "spec-a=Healthy/1 spec-b=Healthy/2");
});

test("without steps nothing is made, and that is told", async () => {
  const strategy = { type: "RollingSync", rollingSync: { steps: [] } };
  await sets.create(listSet("steps", ["steps-a"], { spec: { strategy } }));
  await sets.untilSaid(
    "steps",
    /^ErrorOccurred=True ApplicationSetRolloutError: No steps defined for rollout$/,
  );
  assert.deepEqual(await sets.namesOf("steps-"), []);
  assert.equal(await statesOf("steps"), "");
});

test("in reverse order a set deletes its Applications one by one before it goes", async () => {
  await sets.create(rollingSet("back", ["back-a", "back-b"], { deletionOrder: "Reverse" }));
  await sets.untilNames("back-", ["back-a", "back-b"]);
  await eventually(async () => (await sets.readSet("back"))?.metadata.finalizers?.[0], {
    signal: limit(),
    describe: () => "the set has no finalizer",
  });
  await sets.world.kube.delete({ ...appRef("back"), kind: "ApplicationSet" }, { signal: limit() });
  await sets.untilNames("back-", ["back-a"]);
  await sets.restart();
  assert.deepEqual(await sets.namesOf("back-"), ["back-a"]);
  const release = (name: string) =>
    sets.world.kube.patch(
      appRef(name),
      { type: "merge", body: { metadata: { finalizers: null } } },
      { signal: limit() },
    );
  await release("back-b");
  await sets.untilNames("back-", []);
  assert.ok(await sets.readSet("back"));
  await release("back-a");
  await eventually(async () => ((await sets.readSet("back")) ? undefined : true), {
    signal: limit(),
    describe: () => "the set is still there",
  });
});

test("a set that goes all at once again, or where progressive syncs are off, has no rollout in its status", async () => {
  await sets.create(rollingSet("off", ["off-a"]));
  await untilStates("off", "off-a=Waiting/1");
  await sets.change("off", { spec: { strategy: null } });
  await untilStates("off", "");
  assert.ok(!(await sets.conditionsOf("off")).some((one) => one.startsWith("Rollout")));
  await sets.create(rollingSet("off2", ["off2-a"]));
  await untilStates("off2", "off2-a=Waiting/1");
  await turn("false");
  await untilStates("off2", "");
  await sets.untilSaid("off2", /^NotHonoured=True .*progressive syncs are off/);
  const made = await sets.readApplication("off2-a");
  assert.deepEqual(isRecord(made?.spec) ? made.spec.syncPolicy : undefined, { automated: { prune: true } });
  await turn("true");
});
