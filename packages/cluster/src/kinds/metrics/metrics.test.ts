import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { listAt, objectAt, textAt } from "../../schema/json.ts";
import { TestCluster } from "../../server/test-cluster.ts";

const metrics = "/apis/metrics.k8s.io/v1beta1";
const asTenant = { "impersonate-user": "system:serviceaccount:default:tenant" };

const pod = (name: string, labels: Record<string, string>, ...requests: Record<string, string>[]) => ({
  metadata: { name, labels },
  spec: {
    containers: requests.map((asked, index) => ({
      name: `c${index}`,
      image: "nginx",
      resources: { requests: asked },
    })),
  },
});

async function clusterWithPods(t: TestContext): Promise<TestCluster> {
  const cluster = await TestCluster.start(t);
  await cluster.create("/api/v1/namespaces", { metadata: { name: "other" } });
  await cluster.create(
    "/api/v1/namespaces/default/pods",
    pod("web", { app: "web" }, { cpu: "500m", memory: "1Gi" }, {}),
  );
  await cluster.create(
    "/api/v1/namespaces/other/pods",
    pod("job", { app: "job" }, { cpu: "1", memory: "64Mi" }),
  );
  await cluster.create("/api/v1/namespaces/default/pods", {
    ...pod("waits", {}, { cpu: "8" }),
    metadata: { name: "waits", annotations: { "capstan.dev/simulate": "pending" } },
  });
  await cluster.until(`${metrics}/pods`, ({ body }) => listAt(body, "items").length === 2);
  return cluster;
}

const namesOf = (body: unknown) => listAt(body, "items").map((item) => textAt(item, "metadata", "name"));

test("a Pod uses half of what its containers request, and the answer says that this is simulated", async (t) => {
  const cluster = await clusterWithPods(t);
  const { body, headers } = await cluster.get(`${metrics}/namespaces/default/pods/web`);
  assert.deepEqual(body.containers, [
    { name: "c0", usage: { cpu: "250m", memory: "524288Ki" } },
    { name: "c1", usage: { cpu: "1m", memory: "16384Ki" } },
  ]);
  assert.equal(body.kind, "PodMetrics");
  assert.equal(body.window, "15s");
  assert.match(headers.warning ?? "", /simulated by capstan: nothing really runs/);
  assert.match(textAt(body, "metadata", "annotations", "capstan.dev/simulated"), /half of what/);
  const again = await cluster.get(`${metrics}/namespaces/default/pods/web`);
  assert.deepEqual(again.body.containers, body.containers);
});

test("a list of metrics has the Pods that run, of one namespace or all, as labels and fields select them", async (t) => {
  const cluster = await clusterWithPods(t);
  const names = async (path: string) => namesOf((await cluster.get(`${metrics}/${path}`)).body);
  assert.deepEqual(await names("pods"), ["web", "job"]);
  assert.deepEqual(await names("namespaces/other/pods"), ["job"]);
  assert.deepEqual(await names("pods?labelSelector=app%3Djob"), ["job"]);
  assert.deepEqual(await names("pods?labelSelector=app%21%3Djob"), ["web"]);
  assert.deepEqual(await names("namespaces/default/pods?fieldSelector=metadata.name%3Dweb"), ["web"]);
  assert.deepEqual(await names("namespaces/default/pods?fieldSelector=metadata.name%3Djob"), []);
  const { body } = await cluster.get(`${metrics}/pods`);
  assert.equal(body.kind, "PodMetricsList");
  assert.equal((await cluster.get(`${metrics}/namespaces/default/pods/waits`)).status, 404);
});

test("a node uses what its Pods use", async (t) => {
  const cluster = await clusterWithPods(t);
  const { body } = await cluster.get(`${metrics}/nodes`);
  const [node] = listAt(body, "items");
  assert.deepEqual(namesOf(body), ["capstan-simulated"]);
  assert.deepEqual(objectAt(node, "usage"), { cpu: "751m", memory: `${(512 + 16 + 32) * 1024}Ki` });
  const single = await cluster.get(`${metrics}/nodes/capstan-simulated`);
  assert.deepEqual(single.body.usage, objectAt(node, "usage"));
});

test("metrics are discovered, and only read", async (t) => {
  const cluster = await clusterWithPods(t);
  const { body } = await cluster.get(metrics);
  assert.deepEqual(
    listAt(body, "resources").map((one) => [textAt(one, "name"), textAt(one, "kind"), objectAt(one)?.verbs]),
    [
      ["nodes", "NodeMetrics", ["get", "list"]],
      ["pods", "PodMetrics", ["get", "list"]],
    ],
  );
  const path = `${metrics}/namespaces/default/pods`;
  for (const [method, url] of [
    ["POST", path],
    ["GET", `${path}?watch=1`],
    ["PUT", `${path}/web`],
    ["PATCH", `${path}/web`],
    ["DELETE", `${path}/web`],
    ["DELETE", path],
  ] as const)
    assert.equal((await cluster.ask(method, url, { body: {} })).status, 405, `${method} ${url}`);
  assert.equal((await cluster.get("/api/v1/namespaces/default/pods/web")).status, 200);
});

test("an APIService of one's own for metrics can be made, since there is none before", async (t) => {
  const cluster = await clusterWithPods(t);
  const services = "/apis/apiregistration.k8s.io/v1/apiservices";
  await cluster.until(services, ({ body }) => namesOf(body).includes("v1.apps"));
  const name = "v1beta1.metrics.k8s.io";
  assert.equal((await cluster.get(`${services}/${name}`)).status, 404);
  const spec = {
    group: "metrics.k8s.io",
    version: "v1beta1",
    service: { name: "metrics-server", namespace: "kube-system", port: 443 },
    groupPriorityMinimum: 100,
    versionPriority: 100,
    insecureSkipTLSVerify: true,
  };
  await cluster.create(services, { metadata: { name }, spec });
  assert.deepEqual(namesOf((await cluster.get(`${metrics}/pods`)).body), ["web", "job"]);
});

test("an account sees the metrics of the namespaces for which it has the right to metrics, and of no other", async (t) => {
  const cluster = await clusterWithPods(t);
  const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
  const statuses = async (paths: readonly string[]) =>
    Promise.all(paths.map(async (path) => (await cluster.get(`${metrics}/${path}`, asTenant)).status));
  const grant = async (name: string, apiGroup: string) => {
    await cluster.create(`${rbac}/roles`, {
      metadata: { name },
      rules: [{ apiGroups: [apiGroup], resources: ["pods", "nodes"], verbs: ["*"] }],
    });
    await cluster.create(`${rbac}/rolebindings`, {
      metadata: { name },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
      subjects: [{ kind: "ServiceAccount", name: "tenant", namespace: "default" }],
    });
  };
  const own = ["namespaces/default/pods", "namespaces/default/pods/web"];
  const foreign = [
    "pods",
    "nodes",
    "nodes/capstan-simulated",
    "namespaces/other/pods",
    "namespaces/other/pods/job",
    "pods?fieldSelector=metadata.namespace%3Ddefault",
    "pods?labelSelector=app%3Dweb",
    "watch/pods",
    "namespaces/default/../other/pods",
    "namespaces/other%2Fpods",
  ];
  await grant("pods-alone", "");
  assert.deepEqual(
    await statuses([...own, ...foreign]),
    [...own, ...foreign].map(() => 403),
  );
  await grant("metrics", "metrics.k8s.io");
  assert.deepEqual(await statuses(own), [200, 200]);
  assert.deepEqual(
    await statuses(foreign),
    foreign.map(() => 403),
  );
  // A Role gives nothing that is outside of its namespace, however the path is put together.
  assert.deepEqual(
    await statuses(["namespaces/default/nodes", "namespaces/default/nodes/capstan-simulated"]),
    [404, 404],
  );
  const { body } = await cluster.get(`${metrics}/namespaces/default/pods`, asTenant);
  assert.deepEqual(namesOf(body), ["web"]);
});
