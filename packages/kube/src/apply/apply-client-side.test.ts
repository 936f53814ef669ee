import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type ApplyMode, annotationKeys, crds, fieldManager, type Manifest } from "@capstan/model";
import { realClock } from "@capstan/testkit";
import { openSmallWorld, type SmallWorld, unboundedClient } from "@capstan/testkit/worlds";
import type { KubeRequest, KubeResponse } from "../transport/transport.ts";
import { applyObject } from "./apply-object.ts";

// From when the file is loaded: others may be played before it in this process.
const signal = AbortSignal.timeout(600_000);
const clientSide: ApplyMode = {
  method: "client-side",
  force: false,
  validate: true,
  migrateFrom: "kubectl-client-side-apply",
};
const serverSide: ApplyMode = { ...clientSide, method: "server-side" };

let world: SmallWorld;
/** What the cluster answers in place of its own answer, until it gives nothing any more. */
let intercept: (request: KubeRequest) => KubeResponse | undefined = () => undefined;
before(async () => {
  world = await openSmallWorld({ intercept: async (request) => intercept(request) });
  await world.stopController();
});
after(() => world[Symbol.asyncDispose]());

const refOf = ({ apiVersion, kind, metadata }: Manifest) => ({
  apiVersion,
  kind,
  name: metadata.name ?? "",
  namespace: metadata.namespace,
});

async function apply(object: Manifest, mode = clientSide, dryRun = false): Promise<Manifest> {
  const live = await world.kube.get(refOf(object), signal);
  const needs = { client: unboundedClient(world.kube), clock: realClock };
  return (await applyObject(needs, { object, live, mode, dryRun, signal })).object;
}

const named = (name: string) => ({ name, namespace: "default" });
const config = (name: string, data: Record<string, string>): Manifest => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: named(name),
  data,
});
const dataOf = ({ data }: Manifest) => data;
const lastApplied = ({ metadata }: Manifest) => metadata.annotations?.[annotationKeys.lastApplied];

test("what was applied stands in the annotation, as kubectl writes it", async () => {
  const live = await apply(config("noted", { b: "<1>", a: "2" }));
  assert.equal(
    lastApplied(live),
    '{"apiVersion":"v1","data":{"a":"2","b":"\\u003c1\\u003e"},"kind":"ConfigMap","metadata":{"annotations":{},"name":"noted","namespace":"default"}}\n',
  );
});

test("what git says no more goes, what others wrote stays, what they changed is undone", async () => {
  await apply(config("merged", { old: "1", kept: "1" }));
  await world.kube.patch(
    refOf(config("merged", {})),
    { type: "merge", body: { data: { foreign: "1", kept: "2" } } },
    { signal, fieldManager: "someone" },
  );
  const live = await apply(config("merged", { kept: "1", fresh: "1" }));
  assert.deepEqual(dataOf(live), { kept: "1", fresh: "1", foreign: "1" });
  const again = await apply(config("merged", { kept: "1", fresh: "1" }));
  assert.equal(again.metadata.resourceVersion, live.metadata.resourceVersion);
});

interface Container {
  name: string;
  image: string;
  env?: { name: string; value: string }[];
}

const deployment = (name: string, containers: Container[], more: object = {}): Manifest => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: named(name),
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers, ...more } },
  },
});

function containersOf(live: Manifest): Container[] {
  const { template } = live.spec as { template: { spec: { containers: Container[] } } };
  return template.spec.containers.map(({ name, image, env }) => ({ name, image, ...(env ? { env } : {}) }));
}

test("lists of built-in kinds are merged by the keys that the cluster's OpenAPI names", async () => {
  const a = { name: "A", value: "1" };
  const b = { name: "B", value: "2" };
  const main = { name: "main", image: "nginx:1" };
  await apply(
    deployment("listed", [
      { ...main, env: [a, b] },
      { name: "old", image: "nginx:1" },
    ]),
  );
  const sidecar = { name: "sidecar", image: "proxy:1" };
  const spec = {
    template: { spec: { containers: [sidecar, { name: "main", env: [{ name: "C", value: "3" }] }] } },
  };
  await world.kube.patch(
    refOf(deployment("listed", [])),
    { type: "strategic", body: { spec } },
    { signal, fieldManager: "injector" },
  );
  const live = await apply(deployment("listed", [{ name: "main", image: "nginx:2", env: [b] }]));
  const found = containersOf(live).toSorted((x, y) => (x.name < y.name ? -1 : 1));
  assert.deepEqual(
    found.map(({ name, image }) => [name, image]),
    [
      ["main", "nginx:2"],
      ["sidecar", "proxy:1"],
    ],
  );
  assert.deepEqual((found[0]?.env ?? []).map(({ name }) => name).sort(), ["B", "C"]);
});

test("of a union the kind that git does not name goes, a default too", async () => {
  const first = deployment("union", [{ name: "main", image: "nginx:1" }]);
  await apply(first);
  const recreate = { ...first, spec: { ...(first.spec as object), strategy: { type: "Recreate" } } };
  const { strategy } = (await apply(recreate)).spec as { strategy: unknown };
  assert.deepEqual(strategy, { type: "Recreate" });
});

test("one port for TCP and for UDP is two ports, though the merge key is the port", async () => {
  const service = (ports: object[]): Manifest => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: named("dns"),
    spec: { ports, clusterIP: "None", selector: { app: "dns" } },
  });
  const tcp = { name: "tcp", port: 53, protocol: "TCP", targetPort: 53 };
  await apply(service([tcp]));
  const live = await apply(service([tcp, { name: "udp", port: 53, protocol: "UDP", targetPort: 53 }]));
  const { ports } = live.spec as { ports: { name: string; protocol: string }[] };
  assert.deepEqual(
    ports.map(({ name, protocol }) => [name, protocol]),
    [
      ["tcp", "TCP"],
      ["udp", "UDP"],
    ],
  );
});

test("kinds of CRDs are merged as plain JSON: lists are git's", async () => {
  assert.ok(crds().length > 0);
  const project = (sourceRepos: string[], description?: string): Manifest => ({
    apiVersion: "argoproj.io/v1alpha1",
    kind: "AppProject",
    metadata: { name: "custom", namespace: "argocd" },
    spec: { sourceRepos, ...(description ? { description } : {}) },
  });
  await apply(project(["a", "b"], "old"));
  await world.kube.patch(
    refOf(project([])),
    { type: "merge", body: { spec: { sourceRepos: ["x"], sourceNamespaces: ["n"] } } },
    { signal },
  );
  assert.deepEqual((await apply(project(["a"]))).spec, { sourceRepos: ["a"], sourceNamespaces: ["n"] });
});

test("from server-side to client-side and back, what leaves git leaves the cluster", async () => {
  await apply(config("switched", { one: "1", two: "1", three: "1" }), serverSide);
  const first = await apply(config("switched", { two: "1", three: "1" }));
  assert.deepEqual(dataOf(first), { two: "1", three: "1" });
  const operations = (first.metadata.managedFields ?? []).map(({ manager, operation }) => [
    manager,
    operation,
  ]);
  assert.deepEqual(operations, [[fieldManager, "Update"]]);
  assert.deepEqual(dataOf(await apply(config("switched", { three: "1", four: "1" }))), {
    three: "1",
    four: "1",
  });
  assert.deepEqual(dataOf(await apply(config("switched", { four: "1" }), serverSide)), { four: "1" });
});

test("a dry run says what would come, and changes nothing", async () => {
  const live = await apply(config("tried", { a: "1" }));
  assert.deepEqual(dataOf(await apply(config("tried", { b: "1" }), clientSide, true)), { b: "1" });
  const still = await world.kube.get(refOf(live), signal);
  assert.equal(still?.metadata.resourceVersion, live.metadata.resourceVersion);
});

test("a lost race is run again on what is there then; a refusal is not", async () => {
  await apply(config("raced", { a: "1" }));
  const refusals = [409, 409];
  let asked = 0;
  intercept = ({ method, url }) => {
    if (method !== "PATCH" || !url.includes("/configmaps/raced")) return undefined;
    asked += 1;
    const code = refusals.shift();
    const reason = code === 409 ? "Conflict" : "Invalid";
    const body = JSON.stringify({ kind: "Status", code, reason, message: "the object has been modified" });
    return code === undefined ? undefined : { status: code, headers: {}, body };
  };
  assert.deepEqual(dataOf(await apply(config("raced", { b: "1" }))), { b: "1" });
  assert.equal(asked, 3);
  refusals.push(422);
  await assert.rejects(apply(config("raced", { c: "1" })), /modified/);
  assert.equal(asked, 4);
  intercept = () => undefined;
});

test("a key that leaves stringData leaves the Secret", async () => {
  const secret = (stringData: Record<string, string>): Manifest => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: named("hidden"),
    stringData,
  });
  await apply(secret({ old: "1", kept: "1" }));
  assert.deepEqual(dataOf(await apply(secret({ kept: "2" }))), { kept: "Mg==" });
});

test("fields that the server does not know are refused unless validation is off", async () => {
  const wrong = { ...config("checked", { a: "1" }), dataa: { b: "2" } };
  await assert.rejects(apply(wrong), /dataa/);
  assert.deepEqual(dataOf(await apply(wrong, { ...clientSide, validate: false })), { a: "1" });
});
