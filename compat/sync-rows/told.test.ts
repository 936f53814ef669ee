/** What the API tells of objects, of who belongs to whom, and of clusters. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ApplicationTree, Manifest, ResourceNode } from "@capstan/model";
import { deploymentText, eventually, refusal } from "@capstan/testkit";
import { type ApiWorld, openApiWorld, openSecondCluster, readObject } from "@capstan/testkit/worlds";
import { definitionOf, limit, type Place, placeIn, sync } from "./place.ts";
import { forgotten, WeakLine } from "./weak-line.ts";

const line = new WeakLine("/api/v1/configmaps");
let api: ApiWorld;
before(async () => {
  api = await openApiWorld({ intercept: line.intercept });
});
after(() => api?.[Symbol.asyncDispose]());

const manyTexts = (objects: readonly object[]): string =>
  objects.map((object) => JSON.stringify(object)).join("\n---\n");

async function deployed(name: string, text: string): Promise<Place> {
  const there = await placeIn(api.world)(name, { "app/all.yaml": text });
  const { phase, message } = await sync(there);
  assert.equal(phase, "Succeeded", message);
  return there;
}

async function treeOf(name: string): Promise<ApplicationTree> {
  const { status, body } = await api.request("GET", `/api/v1/applications/${name}/resource-tree`);
  // Its own watch may not have told the server of the application yet.
  return status === 200 ? Object(body) : {};
}

/** Asks for the tree until it is as `isSo` says. */
async function untilTree(name: string, isSo: (tree: ApplicationTree) => boolean): Promise<ApplicationTree> {
  let last: ApplicationTree = {};
  return eventually(
    async () => {
      last = await treeOf(name);
      return isSo(last) ? last : undefined;
    },
    { signal: limit(), describe: () => `the tree of ${name} is still ${JSON.stringify(last, undefined, 1)}` },
  );
}

const nodeOf = (tree: ApplicationTree, kind: string): ResourceNode | undefined =>
  tree.nodes?.find((node) => node.kind === kind);
const factsOf = (node: ResourceNode | undefined): Record<string, string> =>
  Object.fromEntries((node?.info ?? []).map(({ name, value }) => [name, value]));

const requests = { cpu: "100m", memory: "64Mi" };
const web = { app: "web" };
const workload = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    selector: { matchLabels: web },
    template: {
      metadata: { labels: web },
      spec: {
        initContainers: [
          { name: "beside", image: "proxy:2", restartPolicy: "Always", resources: { requests } },
        ],
        containers: [{ name: "main", image: "nginx:1.27", resources: { requests } }],
      },
    },
  },
};
const service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web" },
  spec: { type: "LoadBalancer", selector: web, ports: [{ port: 80 }] },
};
const entry = {
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  metadata: { name: "web", annotations: { "link.argocd.argoproj.io/docs": "https://docs.example/web" } },
  spec: {
    tls: [{ hosts: ["shop.example"] }],
    rules: [
      {
        host: "shop.example",
        http: {
          paths: [
            { path: "/web", pathType: "Prefix", backend: { service: { name: "web", port: { number: 80 } } } },
          ],
        },
      },
    ],
  },
};

const statusOf = (
  ref: Pick<Manifest, "apiVersion" | "kind"> & { namespace: string; name: string },
  status: object,
) =>
  api.world.kube.patch(ref, { type: "merge", body: { status } }, { signal: limit(), subresource: "status" });

test("the tree tells of a Pod, a Service, an Ingress and a Node what is known of them", async () => {
  const name = "told";
  await using _ = await deployed(name, manyTexts([workload, service, entry]));
  await untilTree(name, (tree) => factsOf(nodeOf(tree, "Pod"))["Status Reason"] === "Running");
  const ingress = [{ ip: "203.0.113.7" }];
  for (const { apiVersion, kind } of [service, entry])
    await statusOf({ apiVersion, kind, namespace: name, name: "web" }, { loadBalancer: { ingress } });
  const addressOf = (node: ResourceNode | undefined) => node?.networkingInfo?.ingress?.[0]?.ip;
  const tree = await untilTree(name, (one) =>
    ["Service", "Ingress"].every((kind) => addressOf(nodeOf(one, kind)) === ingress[0]?.ip),
  );
  const pod = nodeOf(tree, "Pod");
  const live = await readObject(api.world, {
    apiVersion: "v1",
    kind: "Pod",
    namespace: name,
    name: pod?.name ?? "",
  });
  const { nodeName } = Object(live?.spec);
  assert.deepEqual(factsOf(pod), {
    "Status Reason": "Running",
    Node: nodeName,
    Containers: "2/2",
    cpu: "200",
    memory: String(2 * 64 * 1024 * 1024 * 1000),
  });
  assert.deepEqual(pod?.images, ["proxy:2", "nginx:1.27"]);
  assert.equal(pod?.networkingInfo?.labels?.app, "web");
  assert.equal(factsOf(nodeOf(tree, "ReplicaSet")).Revision, "Rev:1");
  assert.deepEqual(nodeOf(tree, "Service")?.networkingInfo, { targetLabels: web, ingress });
  assert.deepEqual(nodeOf(tree, "Ingress")?.networkingInfo, {
    targetRefs: [{ kind: "Service", namespace: name, name: "web" }],
    ingress,
    externalURLs: ["https://docs.example/web", "https://shop.example/web"],
  });
  const [host] = tree.hosts ?? [];
  assert.equal(host?.name, nodeName);
  const cpu = host?.resourcesInfo?.find(({ resourceName }) => resourceName === "cpu");
  assert.equal(cpu?.requestedByApp, 200);
  assert.ok(Number(cpu?.capacity) > 200);
});

const istio = "networking.istio.io/v1";
test("the tree tells where Istio and the Gateway API send requests", async () => {
  for (const [group, kind, plural] of [
    ["networking.istio.io", "VirtualService", "virtualservices"],
    ["networking.istio.io", "ServiceEntry", "serviceentries"],
    ["gateway.networking.k8s.io", "HTTPRoute", "httproutes"],
  ] as const)
    await api.world.kube.create(
      // A protected group, whose definitions name who approved them.
      approved(definitionOf({ group, kind, plural })),
      { signal: limit() },
    );
  await eventually(() => api.world.cluster.live.kinds().some(({ kind }) => kind === "HTTPRoute"), {
    signal: limit(),
    describe: () => "the kinds are not watched",
  });
  const to = (host: string) => ({ route: [{ destination: { host } }] });
  const objects = [
    { apiVersion: istio, kind: "VirtualService", spec: { http: [to("web"), to("api.other"), to("web")] } },
    { apiVersion: istio, kind: "ServiceEntry", spec: { workloadSelector: { labels: web } } },
    {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "HTTPRoute",
      spec: {
        hostnames: ["shop.example", "*.example"],
        rules: [{ backendRefs: [{ name: "web" }, { kind: "Other", name: "no" }] }],
      },
    },
  ].map((object) => ({ ...object, metadata: { name: "one" } }));
  await using _ = await deployed("routed", manyTexts(objects));
  const tree = await untilTree("routed", ({ nodes = [] }) => nodes.length === objects.length);
  const toService = (name: string, namespace = "routed") => ({ kind: "Service", namespace, name });
  assert.deepEqual(nodeOf(tree, "VirtualService")?.networkingInfo, {
    targetRefs: [toService("web"), toService("api", "other")],
  });
  assert.deepEqual(nodeOf(tree, "ServiceEntry")?.networkingInfo, {
    targetLabels: web,
    targetRefs: [{ kind: "Pod", name: "" }],
  });
  assert.deepEqual(nodeOf(tree, "HTTPRoute")?.networkingInfo, { targetRefs: [toService("web")] });
});

function approved(definition: ReturnType<typeof definitionOf>): Manifest {
  const annotations = { "api-approved.kubernetes.io": "unapproved, for a test" };
  return { ...definition, metadata: { ...definition.metadata, annotations } };
}

const storage = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const database = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name: "db" },
  spec: {
    serviceName: "db",
    selector: { matchLabels: { app: "db" } },
    template: {
      metadata: { labels: { app: "db" } },
      spec: { containers: [{ name: "main", image: "db:1" }] },
    },
    volumeClaimTemplates: [{ metadata: { name: "data" }, spec: storage }],
  },
};
const operators = { group: "operators.coreos.com", version: "v1" };

test("the tree tells whose each object is, also where no reference says so", async () => {
  const name = "owned";
  const { kube } = api.world;
  const create = (object: Manifest) => kube.create(object, { signal: limit() });
  for (const [kind, plural] of [
    ["OperatorGroup", "operatorgroups"],
    ["ClusterServiceVersion", "clusterserviceversions"],
  ] as const)
    await create(definitionOf({ ...operators, kind, plural }));
  await eventually(
    () => api.world.cluster.live.kinds().some(({ kind }) => kind === "ClusterServiceVersion"),
    {
      signal: limit(),
      describe: () => "the kinds are not watched",
    },
  );
  const role = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "rows-owner" },
  };
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot" } };
  const group = { apiVersion: "operators.coreos.com/v1", kind: "OperatorGroup", metadata: { name: "all" } };
  const objects = [{ ...role, rules: [] }, account, group, service, database];
  await using _ = await deployed(name, manyTexts(objects));
  const owner = await readObject(api.world, { ...role, name: "rows-owner" });
  const reference = { apiVersion: role.apiVersion, kind: role.kind, name: "rows-owner" };
  const ownerReferences = [{ ...reference, uid: owner?.metadata.uid ?? "" }];
  const metadata = (own: string, more: object = {}) => ({ name: own, namespace: name, ...more });
  await create({ apiVersion: "v1", kind: "ConfigMap", metadata: metadata("below", { ownerReferences }) });
  const annotations = { "kubernetes.io/service-account.name": "robot", "olm.operatorGroup": "all" };
  const token = { type: "kubernetes.io/service-account-token", metadata: metadata("token", { annotations }) };
  await create({ apiVersion: "v1", kind: "Secret", ...token });
  const version = { apiVersion: "operators.coreos.com/v1", kind: "ClusterServiceVersion" };
  await create({ ...version, metadata: metadata("web.v1", { annotations }) });
  const parents = {
    "ConfigMap below": "ClusterRole rows-owner",
    "Secret token": "ServiceAccount robot",
    "ClusterServiceVersion web.v1": "OperatorGroup all",
    "Endpoints web": "Service web",
    "PersistentVolumeClaim data-db-0": "StatefulSet db",
    "Pod db-0": "StatefulSet db",
  };
  const found = ({ nodes = [] }: ApplicationTree) =>
    Object.fromEntries(
      nodes
        .map(({ kind, name: own, parentRefs = [] }) => [
          `${kind} ${own}`,
          parentRefs.map((parent) => `${parent.kind} ${parent.name}`).join(),
        ])
        .filter(([child = ""]) => Object.hasOwn(parents, child)),
    );
  const tree = await untilTree(name, (one) => Object.keys(found(one)).length === Object.keys(parents).length);
  assert.deepEqual(found(tree), parents);
});

const own = `/api/v1/clusters/${encodeURIComponent("https://kubernetes.default.svc")}`;
async function cluster(path = own) {
  const { body } = await api.request("GET", path);
  const { connectionState, info, serverVersion } = Object(body);
  const { status, message } = Object(connectionState);
  return { status, message, serverVersion, info: Object(info) };
}

const untilConnected = (isSo: (state: Awaited<ReturnType<typeof cluster>>) => boolean) =>
  eventually(
    async () => {
      const state = await cluster();
      return isSo(state) ? state : undefined;
    },
    { signal: limit(), describe: () => "the connection's state stays what it is" },
  );

test("of a cluster its version, its kinds, what is held of it and its applications are told, and what of it cannot be read", async () => {
  await using _ = await deployed("counted", deploymentText("web"));
  const { items } = await api.world.kube.list(
    { apiVersion: "argoproj.io/v1alpha1", kind: "Application", namespace: "argocd" },
    limit(),
  );
  // A kind that was defined a moment ago may be refused first, while the server makes room for it.
  const known = await untilConnected(
    ({ status: now, info: of }) => now === "Successful" && of.applicationsCount === items.length,
  );
  const { status, message, serverVersion, info } = known;
  assert.deepEqual([status, message], ["Successful", undefined]);
  assert.match(serverVersion, /^1\.\d+$/);
  assert.equal(info.serverVersion, serverVersion);
  assert.ok(info.apiVersions.includes("apps/v1/Deployment"), info.apiVersions.join());
  assert.equal(info.cacheInfo.apisCount, api.world.cluster.live.kinds().length);
  assert.ok(info.cacheInfo.resourcesCount > info.applicationsCount);
  let isRefused = true;
  const refused = refusal(500, "InternalError", "etcdserver: no leader");
  const answer = () => {
    if (isRefused) line.answer("list", answer);
    return refused();
  };
  line.answer("list", answer);
  line.cut();
  line.answer("watch", forgotten);
  line.mend();
  const failed = await untilConnected((one) => one.status === "Failed");
  assert.match(failed.message, /no leader/);
  isRefused = false;
  const again = await untilConnected((one) => one.status === "Successful");
  assert.equal(again.message, undefined);
});

test("of a cluster to which nothing is deployed it is said that nobody looks at it", async () => {
  await using _ = await openSecondCluster(api.world.kube, "idle");
  await eventually(() => api.world.settings.current.clusters.some(({ name }) => name === "idle"), {
    signal: limit(),
    describe: () => "the second cluster is not known",
  });
  const idle = "/api/v1/clusters/idle?id.type=name";
  const { status, message, info } = await cluster(idle);
  assert.equal(status, "Unknown");
  assert.equal(message, "Cluster has no applications and is not being monitored.");
  assert.deepEqual([info.applicationsCount, info.cacheInfo.resourcesCount], [0, 0]);
});
