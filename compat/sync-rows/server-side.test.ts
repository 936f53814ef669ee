import assert from "node:assert/strict";
import { test } from "node:test";
import type { Manifest } from "@capstan/model";
import { type ApplicationView, configMapText, eventually, untilApplication } from "@capstan/testkit";
import { applicationRef, configMapRef, refresh, untilObject } from "@capstan/testkit/worlds";
import { change, limit, type Place, placeIn, shareWorld, sync } from "./place.ts";

const world = shareWorld();
const key = "argocd.argoproj.io/compare-options";
const apiVersion = "admissionregistration.k8s.io/v1";
const isSynced = ({ sync: status }: ApplicationView) => status === "Synced";
const isOther = ({ sync: status }: ApplicationView) => status === "OutOfSync";

/** What of ConfigMaps in one namespace, but those that tell whether it is in force. */
const constraints = (namespace: string) => ({
  namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
  resourceRules: [
    { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: ["configmaps"] },
  ],
});

async function makePolicy(kind: "Mutating" | "Validating", name: string, spec: object): Promise<void> {
  const metadata = { name };
  const policy = { apiVersion, kind: `${kind}AdmissionPolicy`, metadata, spec };
  await world().kube.create(policy, { signal: limit() });
  const actions = kind === "Validating" ? { validationActions: ["Deny"] } : {};
  const binding = { policyName: name, ...actions };
  await world().kube.create(
    { apiVersion, kind: `${kind}AdmissionPolicyBinding`, metadata, spec: binding },
    { signal: limit() },
  );
}

/** The API server takes its time to learn of a policy: dry runs tell. */
async function untilInForce(namespace: string, isSeen: (made: Manifest | Error) => boolean): Promise<void> {
  const probe = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "probe", namespace },
    data: { key: "probe" },
  };
  await eventually(
    async () => {
      const asked = world().kube.create(probe, { dryRun: true, signal: limit() });
      return isSeen(await asked.catch((error: Error) => error)) || undefined;
    },
    { signal: limit(), describe: () => "the policy is not in force" },
  );
}

/** Admission that writes a value over what it gets. */
async function overwrite(namespace: string, name: string, value: string): Promise<void> {
  const expression = `[JSONPatch{op: "add", path: "/data/${name}", value: "${value}"}]`;
  await makePolicy("Mutating", `${namespace}-${name}`, {
    matchConstraints: constraints(namespace),
    matchConditions: [{ name: "data", expression: "has(object.data)" }],
    failurePolicy: "Fail",
    reinvocationPolicy: "Never",
    mutations: [{ patchType: "JSONPatch", jsonPatch: { expression } }],
  });
  await untilInForce(namespace, (made) => !(made instanceof Error) && Object(made.data)[name] === value);
}

const compareBy = (name: string, options: string | null) =>
  change(world(), name, { metadata: { annotations: { [key]: options } } });

const one = { "app/one.yaml": configMapText("one", "git") };
const until = (name: string, isSo: (view: ApplicationView) => boolean) =>
  untilApplication(world().kube, name, isSo);

/** Dry runs for the objects of a namespace since then. */
const dryRunsIn = (namespace: string, begun: number): string[] =>
  world()
    .requests.slice(begun)
    .filter(({ url }) => url.includes(`/namespaces/${namespace}/`) && url.includes("dryRun=All"))
    .map(({ url }) => url.replace(/^.*\/([^/?]+)\?.*$/, "$1"));

/** It was looked at since, and what came of it is written. */
async function refreshed(name: string, how: "normal" | "hard" = "normal"): Promise<void> {
  const isAnswered = (app: Manifest | undefined) =>
    app?.metadata.annotations?.["argocd.argoproj.io/refresh"] === undefined;
  await refresh(world(), name, how);
  await untilObject(world(), applicationRef(name), isAnswered);
}

async function synced(name: string, there: Place): Promise<void> {
  const { phase, message } = await sync(there);
  assert.equal(phase, "Succeeded", message);
  await until(name, ({ revision }) => revision !== "");
}

test("ServerSideDiff=true: what admission writes over git is no difference, drift and what git takes away are", async () => {
  const name = "by-server";
  await using there = await placeIn(world())(name, {
    "app/one.yaml": `${configMapText("one", "git")}  more: x\n`,
  });
  await synced(name, there);
  await overwrite(name, "key", "policy");
  await synced(name, there);
  await untilObject(world(), configMapRef(name, "one"), (live) => Object(live?.data).key === "policy");
  await refresh(world(), name);
  await until(name, isOther);
  await compareBy(name, "ServerSideDiff=true");
  await until(name, isSynced);
  await world().kube.patch(
    configMapRef(name, "one"),
    { type: "merge", body: { data: { more: "drifted", theirs: "1" } } },
    { signal: limit(), fieldManager: "somebody" },
  );
  await until(name, isOther);
  await synced(name, there);
  await until(name, isSynced);
  await there.git.commit(one);
  await refresh(world(), name);
  await until(name, isOther);
  await synced(name, there);
  await until(name, isSynced);
  const live = await untilObject(world(), configMapRef(name, "one"), (found) => found !== undefined);
  assert.deepEqual(live?.data, { key: "policy", theirs: "1" });
  await compareBy(name, "ServerSideDiff=false");
  await until(name, isOther);
});

test("IncludeMutationWebhook=true: what admission would add is a difference, where the server is asked at all", async () => {
  const name = "with-admission";
  await using there = await placeIn(world())(name, one);
  await synced(name, there);
  await until(name, isSynced);
  await overwrite(name, "added", "by-a-policy");
  await compareBy(name, "ServerSideDiff=true");
  const asked = world().requests.length;
  await refresh(world(), name);
  await until(name, isSynced);
  await compareBy(name, "ServerSideDiff=true,IncludeMutationWebhook=true");
  await until(name, isOther);
  assert.ok(world().requests.length > asked);
  await synced(name, there);
  await until(name, isSynced);
  await compareBy(name, "IncludeMutationWebhook=true");
  await until(name, ({ sync: status, conditions }) => {
    const isSaid = conditions.some(({ message }) => message.includes("only with ServerSideDiff=true"));
    return status === "Synced" && isSaid;
  });
});

test("ServerSideDiff=true: an object is asked for once, and again when it changed or all is to be looked at anew", async () => {
  const name = "asked-once";
  await using there = await placeIn(world())(
    name,
    { ...one, "app/two.yaml": configMapText("two") },
    { annotations: { [key]: "ServerSideDiff=true" } },
  );
  await synced(name, there);
  await until(name, isSynced);
  await world().controller.idle();
  const begun = world().requests.length;
  await refreshed(name);
  assert.deepEqual(dryRunsIn(name, begun), []);
  const body = { metadata: { labels: { somebody: "was-here" } } };
  await world().kube.patch(configMapRef(name, "two"), { type: "merge", body }, { signal: limit() });
  await eventually(() => dryRunsIn(name, begun).length > 0 || undefined, {
    signal: limit(),
    describe: () => "the server is not asked",
  });
  await refreshed(name);
  assert.deepEqual(dryRunsIn(name, begun), ["two"]);
  await refreshed(name, "hard");
  assert.deepEqual(dryRunsIn(name, begun).sort(), ["one", "two", "two"]);
});

test("ServerSideDiff=true: what the server refuses is told, nothing is known then, and no sync begins", async () => {
  const name = "refused";
  await using there = await placeIn(world())(name, one, { annotations: { [key]: "ServerSideDiff=true" } });
  await synced(name, there);
  await makePolicy("Validating", name, {
    matchConstraints: constraints(name),
    failurePolicy: "Fail",
    validations: [{ expression: 'object.data.key != "bad"', message: "bad is not allowed" }],
  });
  const probed = (value: string) =>
    world().kube.create(
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "probe", namespace: name },
        data: { key: value },
      },
      { dryRun: true, signal: limit() },
    );
  await eventually(
    async () =>
      (await probed("bad").then(
        () => undefined,
        () => true,
      )) || undefined,
    {
      signal: limit(),
      describe: () => "the policy is not in force",
    },
  );
  const revision = await there.git.commit({ "app/one.yaml": configMapText("one", "bad") });
  await refresh(world(), name);
  const isRefused = ({ conditions }: ApplicationView) =>
    conditions.some(
      ({ type, message }) => type === "ComparisonError" && message.includes("bad is not allowed"),
    );
  const view = await until(name, isRefused);
  assert.deepEqual([view.sync, view.revision], ["Unknown", revision]);
  assert.deepEqual(view.resources, [{ kind: "ConfigMap", name: "one", status: "Unknown" }]);
  const { phase, message } = await sync(there);
  assert.equal(phase, "Error");
  assert.match(message, /ComparisonError: .*bad is not allowed/);
  await there.git.commit({ "app/one.yaml": configMapText("one", "good") });
  await refresh(world(), name);
  await until(name, isOther);
  assert.equal((await sync(there)).phase, "Succeeded");
});

test("ServerSideDiff=true: a field that cannot change is told, unless the sync makes the object anew", async () => {
  const name = "immutable";
  const text = (value: string, options: object = {}) =>
    `${configMapText("one", value, options)}immutable: true\n`;
  await using there = await placeIn(world())(
    name,
    { "app/one.yaml": text("1") },
    { annotations: { [key]: "ServerSideDiff=true" } },
  );
  await synced(name, there);
  await there.git.commit({ "app/one.yaml": text("2") });
  await refresh(world(), name);
  const isTold = ({ conditions }: ApplicationView) =>
    conditions.some(({ type }) => type === "ComparisonError");
  assert.match((await until(name, isTold)).conditions[0]?.message ?? "", /immutable/);
  const force = { annotations: { "argocd.argoproj.io/sync-options": "Force=true" } };
  await there.git.commit({ "app/one.yaml": text("2", force) });
  await refresh(world(), name);
  await until(name, isOther);
  assert.equal((await sync(there)).phase, "Succeeded");
  await until(name, isSynced);
});

test("controller.diff.server.side asks for all that do not say otherwise", async () => {
  const name = "all-by-server";
  await using there = await placeIn(world())(name, one);
  await synced(name, there);
  await overwrite(name, "key", "policy");
  await synced(name, there);
  await refresh(world(), name);
  await until(name, isOther);
  const metadata = { name: "argocd-cmd-params-cm", namespace: "argocd" };
  const apply = (value: string) =>
    world().kube.apply(
      { apiVersion: "v1", kind: "ConfigMap", metadata, data: { "controller.diff.server.side": value } },
      { fieldManager: "test", force: true, signal: limit() },
    );
  await apply("true");
  await until(name, isSynced);
  await compareBy(name, "ServerSideDiff=false");
  await until(name, isOther);
  await apply("false");
  await compareBy(name, null);
});
