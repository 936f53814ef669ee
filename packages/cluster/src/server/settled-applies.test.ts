import assert from "node:assert/strict";
import { test } from "node:test";
import { at, TestCluster } from "./test-cluster.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const url = `${maps}/a?fieldManager=git`;
const object = (data: Record<string, unknown>) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a" },
  data,
});

/** Applied until it is known to change nothing: once to create it, once to find that out, once from memory. */
async function settled(cluster: TestCluster, body: unknown, of = url): Promise<unknown> {
  for (let times = 0; times < 2; times += 1) await cluster.patch(of, "apply", body);
  const { body: answered } = await cluster.patch(of, "apply", body);
  return at(answered, "metadata", "resourceVersion");
}

test("an apply that is said again to the letter finds the object as it was answered before", async (t) => {
  const cluster = await TestCluster.start(t);
  const version = await settled(cluster, object({ x: "1" }));
  const again = await cluster.patch(url, "apply", object({ x: "1" }));
  assert.equal(again.status, 200);
  assert.deepEqual(again.body, (await cluster.get(`${maps}/a`)).body);
  assert.equal(at(again.body, "metadata", "resourceVersion"), version);
});

test("what somebody else has changed since is found", async (t) => {
  const cluster = await TestCluster.start(t);
  await settled(cluster, object({ x: "1" }));
  await cluster.patch(`${maps}/a?fieldManager=other`, "merge", { data: { x: "2" } });
  const conflict = await cluster.patch(url, "apply", object({ x: "1" }));
  assert.equal(conflict.status, 409);
  const forced = await cluster.patch(`${url}&force=true`, "apply", object({ x: "1" }));
  assert.equal(at(forced.body, "data", "x"), "1");
});

test("another manager with the same words becomes an owner too", async (t) => {
  const cluster = await TestCluster.start(t);
  const version = await settled(cluster, object({ x: "1" }));
  const { body } = await cluster.patch(`${maps}/a?fieldManager=two`, "apply", object({ x: "1" }));
  assert.notEqual(at(body, "metadata", "resourceVersion"), version);
});

test("what the client is warned of is told each time, and refused where it asks for that", async (t) => {
  const cluster = await TestCluster.start(t);
  const doubled = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"1","x":"1"}}`;
  await settled(cluster, doubled);
  const warned = await cluster.patch(url, "apply", doubled);
  assert.match(warned.headers.warning ?? "", /key \\"x\\" already set in map/);
  const strict = await cluster.patch(`${url}&fieldValidation=Strict`, "apply", doubled);
  assert.equal(strict.status, 400);
});

test("an object's own resourceVersion in the request is compared with what is there", async (t) => {
  const cluster = await TestCluster.start(t);
  const version = await settled(cluster, object({ x: "1" }));
  const { metadata, ...rest } = object({ x: "1" });
  const bound = { ...rest, metadata: { ...metadata, resourceVersion: version } };
  await settled(cluster, bound);
  await cluster.patch(`${maps}/a?fieldManager=other`, "merge", { data: { y: "2" } });
  assert.equal((await cluster.patch(url, "apply", bound)).status, 409);
});

test("a custom resource meets the schema that its definition has now", async (t) => {
  const cluster = await TestCluster.start(t);
  const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const withSpec = (properties: Record<string, unknown>) => ({
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } } },
      },
    ],
  });
  await cluster.create(crds, {
    metadata: { name: "widgets.test.io" },
    spec: {
      group: "test.io",
      names: { plural: "widgets", kind: "Widget" },
      scope: "Namespaced",
      ...withSpec({ x: { type: "string" } }),
    },
  });
  const widget = "/apis/test.io/v1/namespaces/default/widgets/w?fieldManager=git";
  await cluster.until("/apis/test.io/v1/namespaces/default/widgets", ({ status }) => status === 200);
  const sent = { apiVersion: "test.io/v1", kind: "Widget", metadata: { name: "w" }, spec: { x: "1" } };
  await settled(cluster, sent, widget);
  const changed = await cluster.patch(`${crds}/widgets.test.io`, "merge", {
    spec: withSpec({ x: { type: "string" }, z: { type: "string", default: "later" } }),
  });
  assert.equal(changed.status, 200);
  await cluster.until(widget, ({ body }) => at(body, "spec", "z") === "later");
  const { body } = await cluster.patch(widget, "apply", sent);
  assert.equal(at(body, "spec", "z"), "later");
});
