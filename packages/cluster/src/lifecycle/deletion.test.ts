import assert from "node:assert/strict";
import { test } from "node:test";
import { at, TestCluster, temporaryFolder } from "../server/test-cluster.ts";

const maps = "/api/v1/namespaces/default/configmaps";

async function uidOf(cluster: TestCluster, name: string): Promise<string> {
  return String(at((await cluster.get(`${maps}/${name}`)).body, "metadata", "uid"));
}

async function createOwned(cluster: TestCluster, name: string, owner: string): Promise<void> {
  const reference = {
    apiVersion: "v1",
    kind: "ConfigMap",
    name: owner,
    uid: await uidOf(cluster, owner),
    blockOwnerDeletion: true,
  };
  await cluster.create(maps, { metadata: { name, ownerReferences: [reference] } });
}

async function family(t: import("node:test").TestContext): Promise<TestCluster> {
  const cluster = await TestCluster.start(t);
  await cluster.create(maps, { metadata: { name: "parent" } });
  await createOwned(cluster, "child", "parent");
  await createOwned(cluster, "grandchild", "child");
  return cluster;
}

function gone(cluster: TestCluster, name: string): Promise<unknown> {
  return cluster.until(`${maps}/${name}`, ({ status }) => status === 404);
}

test("background deletion takes the owner at once and its dependents after it", async (t) => {
  const cluster = await family(t);
  const answer = await cluster.ask("DELETE", `${maps}/parent`, { body: { propagationPolicy: "Background" } });
  assert.equal(answer.body.status, "Success");
  assert.equal(at(answer.body, "details", "name"), "parent");
  assert.equal((await cluster.get(`${maps}/parent`)).status, 404);
  await gone(cluster, "grandchild");
  await gone(cluster, "child");
});

test("foreground deletion keeps the owner until its dependents are gone", async (t) => {
  const cluster = await family(t);
  await cluster.patch(`${maps}/grandchild`, "merge", { metadata: { finalizers: ["test/hold"] } });
  const answer = await cluster.ask("DELETE", `${maps}/parent`, { body: { propagationPolicy: "Foreground" } });
  assert.deepEqual(at(answer.body, "metadata", "finalizers"), ["foregroundDeletion"]);
  const held = await cluster.until(
    `${maps}/grandchild`,
    ({ body }) => at(body, "metadata", "deletionTimestamp") !== undefined,
  );
  assert.equal(held.status, 200);
  for (const name of ["parent", "child"])
    assert.equal((await cluster.get(`${maps}/${name}`)).status, 200, name);
  await cluster.patch(`${maps}/grandchild`, "merge", { metadata: { finalizers: null } });
  for (const name of ["grandchild", "child", "parent"]) await gone(cluster, name);
});

test("foreground deletion opens a circle of owners", async (t) => {
  const cluster = await family(t);
  const uid = await uidOf(cluster, "grandchild");
  const reference = {
    apiVersion: "v1",
    kind: "ConfigMap",
    name: "grandchild",
    uid,
    blockOwnerDeletion: true,
  };
  await cluster.patch(`${maps}/parent`, "merge", { metadata: { ownerReferences: [reference] } });
  await cluster.ask("DELETE", `${maps}/parent`, { body: { propagationPolicy: "Foreground" } });
  for (const name of ["parent", "child", "grandchild"]) await gone(cluster, name);
});

test("orphan deletion frees the dependents", async (t) => {
  const cluster = await family(t);
  await cluster.ask("DELETE", `${maps}/parent?propagationPolicy=Orphan`);
  await gone(cluster, "parent");
  const child = await cluster.get(`${maps}/child`);
  assert.equal(child.status, 200);
  assert.equal(at(child.body, "metadata", "ownerReferences"), undefined);
  assert.equal((await cluster.get(`${maps}/grandchild`)).status, 200);
});

test("an object whose owner never was is collected; one of two owners is enough to stay", async (t) => {
  const cluster = await family(t);
  const absent = { apiVersion: "v1", kind: "ConfigMap", name: "nobody", uid: "no-such-uid" };
  await cluster.create(maps, { metadata: { name: "lost", ownerReferences: [absent] } });
  await gone(cluster, "lost");
  const parent = { apiVersion: "v1", kind: "ConfigMap", name: "parent", uid: await uidOf(cluster, "parent") };
  await cluster.create(maps, { metadata: { name: "half", ownerReferences: [absent, parent] } });
  await cluster.until(
    `${maps}/half`,
    ({ body }) =>
      at(body, "metadata", "ownerReferences", "length") === undefined &&
      at(body, "metadata", "ownerReferences", "1") === undefined,
  );
  assert.equal((await cluster.get(`${maps}/half`)).status, 200);
});

test("a finalizer holds an object, and none can be added while it leaves", async (t) => {
  const cluster = await TestCluster.start(t);
  await cluster.create(maps, { metadata: { name: "a", finalizers: ["test/one"] } });
  const marked = await cluster.ask("DELETE", `${maps}/a`);
  assert.equal(marked.status, 200);
  assert.equal(at(marked.body, "metadata", "deletionGracePeriodSeconds"), 0);
  const more = await cluster.patch(`${maps}/a`, "merge", {
    metadata: { finalizers: ["test/one", "test/two"] },
  });
  assert.equal(more.status, 422);
  assert.match(
    String(more.body.message),
    /no new finalizers can be added if the object is being deleted, found new finalizers \[\]string\{"test\/two"\}/,
  );
  const last = await cluster.patch(`${maps}/a`, "json", [{ op: "remove", path: "/metadata/finalizers" }]);
  assert.equal(last.status, 200);
  assert.equal((await cluster.get(`${maps}/a`)).status, 404);
});

test("preconditions name what differs", async (t) => {
  const cluster = await TestCluster.start(t);
  await cluster.create(maps, { metadata: { name: "a" } });
  const uid = await uidOf(cluster, "a");
  const wrong = await cluster.ask("DELETE", `${maps}/a`, { body: { preconditions: { uid: "x" } } });
  assert.equal(wrong.status, 409);
  assert.equal(
    wrong.body.message,
    `Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (x) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
  );
  const right = await cluster.ask("DELETE", `${maps}/a`, { body: { preconditions: { uid } } });
  assert.equal(right.status, 200);
});

test("a dry run deletes nothing", async (t) => {
  const cluster = await TestCluster.start(t);
  await cluster.create(maps, { metadata: { name: "a" } });
  assert.equal((await cluster.ask("DELETE", `${maps}/a?dryRun=All`)).status, 200);
  assert.equal((await cluster.ask("DELETE", `${maps}/a`, { body: { dryRun: ["All"] } })).status, 200);
  assert.equal((await cluster.get(`${maps}/a`)).status, 200);
});

test("a collection is deleted by selector, and answered as a list", async (t) => {
  const cluster = await TestCluster.start(t);
  for (const name of ["a", "b"]) await cluster.create(maps, { metadata: { name, labels: { test: "yes" } } });
  await cluster.create(maps, { metadata: { name: "c" } });
  const answer = await cluster.ask("DELETE", `${maps}?labelSelector=test`);
  assert.equal(answer.body.kind, "ConfigMapList");
  assert.equal((await cluster.get(`${maps}/a`)).status, 404);
  assert.equal((await cluster.get(`${maps}/c`)).status, 200);
});

test("a deleted namespace takes its content, refuses more, and goes", async (t) => {
  const cluster = await TestCluster.start(t);
  await cluster.create("/api/v1/namespaces", { metadata: { name: "n" } });
  const inside = "/api/v1/namespaces/n/configmaps";
  await cluster.until(`${inside}/kube-root-ca.crt`, ({ status }) => status === 200);
  await cluster.until("/api/v1/namespaces/n/serviceaccounts/default", ({ status }) => status === 200);
  await cluster.create(inside, { metadata: { name: "a", finalizers: ["test/hold"] } });
  const marked = await cluster.ask("DELETE", "/api/v1/namespaces/n");
  assert.equal(at(marked.body, "status", "phase"), "Terminating");
  const refused = await cluster.ask("POST", inside, { body: { metadata: { name: "b" } } });
  assert.equal(refused.status, 403);
  assert.equal(
    refused.body.message,
    'configmaps "b" is forbidden: unable to create new content in namespace n because it is being terminated',
  );
  assert.equal(at(refused.body, "details", "causes", "0", "reason"), "NamespaceTerminating");
  await cluster.until(`${inside}/kube-root-ca.crt`, ({ status }) => status === 404);
  const stuck = await cluster.until(
    "/api/v1/namespaces/n",
    ({ body }) => at(body, "status", "conditions", "4", "status") === "True",
  );
  assert.equal(
    at(stuck.body, "status", "conditions", "4", "message"),
    "Some content in the namespace has finalizers remaining: test/hold in 1 resource instances",
  );
  assert.equal(
    at(stuck.body, "status", "conditions", "3", "message"),
    "Some resources are remaining: configmaps. has 1 resource instances",
  );
  await cluster.patch(`${inside}/a`, "merge", { metadata: { finalizers: null } });
  await cluster.until("/api/v1/namespaces/n", ({ status }) => status === 404);
  const absent = await cluster.ask("POST", inside, { body: { metadata: { name: "b" } } });
  assert.equal(absent.status, 404);
  assert.equal(absent.body.message, 'namespaces "n" not found');
});

test("what Pods may need stays in a deleted namespace until they are gone", async (t) => {
  const cluster = await TestCluster.start(t);
  await cluster.create("/api/v1/namespaces", { metadata: { name: "leaving" } });
  const inside = "/api/v1/namespaces/leaving";
  await cluster.create(`${inside}/configmaps`, { metadata: { name: "settings" } });
  const spec = { containers: [{ name: "app", image: "app" }] };
  await cluster.create(`${inside}/pods`, { metadata: { name: "app", finalizers: ["test/hold"] }, spec });
  await cluster.ask("DELETE", inside);
  await cluster.until(
    `${inside}/pods/app`,
    ({ body }) => at(body, "metadata", "deletionTimestamp") !== undefined,
  );
  await cluster.until(inside, ({ body }) => at(body, "status", "conditions") !== undefined);
  assert.equal((await cluster.get(`${inside}/configmaps/settings`)).status, 200);
  await cluster.patch(`${inside}/pods/app`, "merge", { metadata: { finalizers: null } });
  await cluster.until(inside, ({ status }) => status === 404);
});

test("the namespaces that every cluster has may not be deleted", async (t) => {
  const cluster = await TestCluster.start(t);
  const answer = await cluster.ask("DELETE", "/api/v1/namespaces/default");
  assert.equal(answer.status, 403);
  assert.equal(answer.body.message, 'namespaces "default" is forbidden: this namespace may not be deleted');
});

test("what a stop left undone is done after the next start", async (t) => {
  const dataDir = temporaryFolder(t);
  const first = await TestCluster.start(t, dataDir);
  await first.create(maps, { metadata: { name: "parent" } });
  for (let index = 0; index < 5; index += 1) await createOwned(first, `child-${index}`, "parent");
  await first.create("/api/v1/namespaces", { metadata: { name: "n" } });
  await Promise.all([first.ask("DELETE", `${maps}/parent`), first.ask("DELETE", "/api/v1/namespaces/n")]);
  await first.cluster.close();
  const second = await TestCluster.start(t, dataDir);
  for (let index = 0; index < 5; index += 1) await gone(second, `child-${index}`);
  await second.until("/api/v1/namespaces/n", ({ status }) => status === 404);
});
