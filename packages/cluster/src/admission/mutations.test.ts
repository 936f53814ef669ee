import assert from "node:assert/strict";
import { test } from "node:test";
import { at, TestCluster } from "../server/test-cluster.ts";

const group = "/apis/admissionregistration.k8s.io/v1";
const maps = "/api/v1/namespaces/default/configmaps";
const pods = "/api/v1/namespaces/default/pods";
const pod = { spec: { containers: [{ name: "main", image: "x" }] } };

interface Asked {
  resource: string;
  mutations: readonly object[];
  spec?: object;
}

async function policy(cluster: TestCluster, name: string, { resource, mutations, spec }: Asked) {
  const resourceRules = [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: [resource] }];
  const answer = await cluster.ask("POST", `${group}/mutatingadmissionpolicies`, {
    body: {
      metadata: { name },
      spec: { matchConstraints: { resourceRules }, reinvocationPolicy: "Never", mutations, ...spec },
    },
  });
  if (answer.status === 201)
    await cluster.create(`${group}/mutatingadmissionpolicybindings`, {
      metadata: { name },
      spec: { policyName: name },
    });
  return answer;
}

const apply = (expression: string) => ({
  patchType: "ApplyConfiguration",
  applyConfiguration: { expression },
});
const patch = (expression: string) => ({ patchType: "JSONPatch", jsonPatch: { expression } });

test("a policy merges what its expression makes, and defaults follow", async (t) => {
  const cluster = await TestCluster.start(t);
  await policy(cluster, "sidecar", {
    resource: "pods",
    mutations: [
      apply(`Object{
        // a container that every Pod gets
        metadata: Object.metadata{labels: {"by": request.userInfo.username, "curly": "}x".substring(1)}},
        spec: Object.spec{containers: [Object.spec.containers{name: "side", image: "proxy"}]},
      }`),
    ],
  });
  const { body } = await cluster.create(pods, { metadata: { name: "p", labels: { a: "b" } }, ...pod });
  assert.deepEqual(at(body, "metadata", "labels"), { a: "b", by: "kubernetes-admin", curly: "x" });
  const containers = at(body, "spec", "containers");
  assert.ok(Array.isArray(containers));
  assert.deepEqual(
    containers.map(({ name, image, imagePullPolicy }) => [name, image, imagePullPolicy]),
    [
      ["main", "x", "Always"],
      ["side", "proxy", "Always"],
    ],
  );
});

test("a policy patches where its conditions hold, and a failed test of the patch changes nothing", async (t) => {
  const cluster = await TestCluster.start(t);
  await policy(cluster, "patching", {
    resource: "configmaps",
    spec: {
      matchConditions: [{ name: "ours", expression: "object.metadata.name.startsWith('ours')" }],
      variables: [{ name: "key", expression: "'a/b'" }],
    },
    mutations: [
      patch(`has(object.metadata.annotations) ? [
        JSONPatch{op: 'add', path: '/metadata/annotations/' + jsonpatch.escapeKey(variables.key), value: 'new'}
      ] : []`),
      patch("[JSONPatch{op: 'test', path: '/data', value: 2}, JSONPatch{op: 'remove', path: '/metadata'}]"),
    ],
  });
  const annotations = async (name: string) => {
    const { body } = await cluster.create(maps, { metadata: { name, annotations: { x: "1" } } });
    return at(body, "metadata", "annotations");
  };
  assert.deepEqual(await annotations("ours"), { x: "1", "a/b": "new" });
  assert.deepEqual(await annotations("theirs"), { x: "1" });
});

test("a policy sees an apply that changes nothing, and may change something then", async (t) => {
  const cluster = await TestCluster.start(t);
  const applied = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m" }, data: { a: "1" } };
  const url = `${maps}/m?fieldManager=git`;
  assert.equal((await cluster.patch(url, "apply", applied)).status, 201);
  await policy(cluster, "later", { resource: "configmaps", mutations: [apply("Object{data: {'a': '2'}}")] });
  const { body } = await cluster.patch(url, "apply", applied);
  assert.deepEqual(body.data, { a: "2" });
});

test("a policy that asks for it sees what later ones did", async (t) => {
  const cluster = await TestCluster.start(t);
  await policy(cluster, "a", {
    resource: "configmaps",
    spec: { reinvocationPolicy: "IfNeeded" },
    mutations: [apply("Object{data: {'seen': string(has(object.data) && 'late' in object.data)}}")],
  });
  await policy(cluster, "b", { resource: "configmaps", mutations: [apply("Object{data: {'late': 'yes'}}")] });
  const { body } = await cluster.create(maps, { metadata: { name: "m" } });
  assert.deepEqual(body.data, { late: "yes", seen: "true" });
});

test("what a policy cannot do refuses the change, unless failures are ignored", async (t) => {
  const cluster = await TestCluster.start(t);
  const mutations = [apply("Object{data: Object.spec{a: '1'}}")];
  await policy(cluster, "wrong", { resource: "configmaps", mutations });
  const refused = await cluster.ask("POST", maps, { body: { metadata: { name: "m" } } });
  assert.equal(refused.status, 403);
  assert.equal(
    refused.body.message,
    `policy 'wrong' with binding 'wrong' denied request: type mismatch: unexpected type name "Object.spec", expected "Object.data", which matches field name path from root Object type`,
  );
  await cluster.ask("DELETE", `${group}/mutatingadmissionpolicies/wrong`);
  const atomic = [apply("Object{data: {'a': string(1 / 0)}}")];
  await policy(cluster, "ignored", {
    resource: "configmaps",
    mutations: atomic,
    spec: { failurePolicy: "Ignore" },
  });
  await cluster.create(maps, { metadata: { name: "m" } });
});

test("an expression that does not compile is refused with the place in what was written", async (t) => {
  const cluster = await TestCluster.start(t);
  const { status, body } = await policy(cluster, "bad", {
    resource: "configmaps",
    mutations: [apply("Object{data: {'a': nothing}}")],
  });
  assert.equal(status, 422);
  assert.match(
    String(body.message),
    /spec\.mutations\[0\]\.applyConfiguration\.expression: .*ERROR: <input>:1:20: undeclared reference to 'nothing'/,
  );
});

test("an expression must make what its patch wants", async (t) => {
  const cluster = await TestCluster.start(t);
  const of = (mutation: object) => ({ resource: "configmaps", mutations: [mutation] });
  const wrong = await policy(cluster, "wrong", of(patch("Object{}")));
  assert.match(String(wrong.body.message), /must evaluate to list\(JSONPatch\) but got Object/);
  const number = await policy(cluster, "number", of(apply("1")));
  assert.match(String(number.body.message), /must evaluate to Object but got int/);
  const chosen = await policy(cluster, "chosen", of(apply("true ? Object{data: {'a': 'b'}} : Object{}")));
  assert.equal(chosen.status, 201);
  const { body } = await cluster.create(maps, { metadata: { name: "m" } });
  assert.deepEqual(body.data, { a: "b" });
});
