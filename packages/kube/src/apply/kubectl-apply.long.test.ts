import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { promisify } from "node:util";
import { type ApplyMode, annotationKeys, type Manifest } from "@capstan/model";
import {
  lacking,
  lackingRealCluster,
  type RealCluster,
  realClock,
  realProgramPath,
  startRealCluster,
} from "@capstan/testkit";
import { unboundedClient } from "@capstan/testkit/worlds";
import { applyObject } from "./apply-object.ts";

const run = promisify(execFile);
const signal = AbortSignal.timeout(300_000);
const mode: ApplyMode = {
  method: "client-side",
  force: false,
  validate: true,
  migrateFrom: "kubectl-client-side-apply",
};
const namespace = "default";

const deployment = (containers: object[], more: object = {}): Manifest => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: {
    name: "web",
    namespace,
    labels: { app: "web", ...("labels" in more ? Object(more.labels) : {}) },
  },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: {
        containers,
        volumes: [
          { name: "tmp", emptyDir: {} },
          { name: "config", configMap: { name: "config" } },
        ],
        tolerations: [{ key: "a", operator: "Exists" }],
      },
    },
  },
});

const main = (image: string, env: object[]) => ({
  name: "main",
  image,
  env,
  ports: [{ name: "http", containerPort: 80 }],
  volumeMounts: [{ name: "tmp", mountPath: "/tmp" }],
  resources: { requests: { cpu: "100m" } },
});
const variable = (name: string, value: string) => ({ name, value });

const service = (ports: object[]): Manifest => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "dns", namespace },
  spec: { ports, selector: { app: "web" } },
});
const port = (name: string, protocol: string) => ({ name, protocol, port: 53, targetPort: 53 });

const config = (data: Record<string, string>): Manifest => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "config", namespace, annotations: { note: "a < b && c > d \u2028" } },
  data,
});

const definition: Manifest = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Widget", plural: "widgets", singular: "widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          },
        },
      },
    ],
  },
};
const widget = (spec: object): Manifest => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name: "one", namespace },
  spec,
});

const first: readonly Manifest[] = [
  definition,
  config({ a: "1", old: "1" }),
  deployment([main("nginx:1", [variable("A", "1"), variable("B", "2")]), { name: "old", image: "nginx:1" }], {
    labels: { old: "1" },
  }),
  service([port("tcp", "TCP"), port("udp", "UDP")]),
  widget({ items: [{ name: "a" }, { name: "b" }], old: { deep: 1 }, kept: 1 }),
];
const second: readonly Manifest[] = [
  definition,
  config({ a: "2" }),
  deployment([main("nginx:2", [variable("B", "2"), variable("C", "3")])]),
  service([port("udp", "UDP")]),
  widget({ items: [{ name: "b" }], kept: 1 }),
];

suite("client-side apply beside the real kubectl", {
  skip: lackingRealCluster() || lacking("kubectl"),
}, () => {
  let cluster: RealCluster;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "capstan-kubectl-apply-"));
    cluster = await startRealCluster({ controllers: "namespace-controller" });
  });
  after(async () => {
    await cluster?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const refOf = ({ apiVersion, kind, metadata }: Manifest) => ({
    apiVersion,
    kind,
    name: metadata.name ?? "",
    ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
  });
  const read = async (object: Manifest): Promise<Manifest> => {
    const live = await cluster.kube.get(refOf(object), signal);
    assert.ok(live);
    return live;
  };

  async function apply(objects: readonly Manifest[]): Promise<string[]> {
    const messages: string[] = [];
    for (const object of objects) {
      const needs = { client: unboundedClient(cluster.kube), clock: realClock };
      const live = await cluster.kube.discovery
        .find(object, signal)
        .then((row) => (row ? cluster.kube.get(refOf(object), signal) : undefined));
      messages.push((await applyObject(needs, { object, live, mode, signal })).message);
    }
    return messages;
  }

  async function kubectl(args: readonly string[], objects: readonly Manifest[] = []): Promise<string> {
    const file = join(folder, "objects.json");
    await writeFile(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
    const files = objects.length > 0 ? ["-f", file] : [];
    const { stdout } = await run(realProgramPath("kubectl"), [...args, ...files], {
      env: { HOME: folder, KUBECONFIG: cluster.kubeconfig },
      timeout: 60_000,
    });
    return stdout;
  }

  /** What kubectl would change of these; it says "unchanged" of an object only where its patch is empty. */
  async function changedByKubectl(objects: readonly Manifest[]): Promise<string[]> {
    const lines = (await kubectl(["apply"], objects)).trim().split("\n");
    return lines.filter((line) => !line.endsWith(" unchanged"));
  }

  test("what we apply, kubectl apply finds unchanged; what left git has left the cluster", async () => {
    assert.deepEqual([...new Set((await apply(first)).map((message) => message.split(" ")[1]))], ["created"]);
    assert.deepEqual(await changedByKubectl(first), []);
    const sidecar = { spec: { template: { spec: { containers: [{ name: "sidecar", image: "proxy:1" }] } } } };
    await kubectl(["patch", "deployment", "web", "-p", JSON.stringify(sidecar)]);
    await kubectl(["annotate", "configmap", "config", "by=someone"]);
    await apply(second);
    const [, map, web, dns, one] = await Promise.all(second.map(read));
    assert.deepEqual(map?.data, { a: "2" });
    assert.equal(map?.metadata.annotations?.by, "someone");
    const { containers } = Object(web?.spec).template.spec;
    assert.deepEqual(
      containers.map(({ name, image }: { name: string; image: string }) => `${name} ${image}`).sort(),
      ["main nginx:2", "sidecar proxy:1"],
    );
    const { env } = containers.find(({ name }: { name: string }) => name === "main");
    assert.deepEqual(env, [variable("B", "2"), variable("C", "3")]);
    assert.equal(web?.metadata.labels?.old, undefined);
    assert.deepEqual(
      Object(dns?.spec).ports.map(({ name }: { name: string }) => name),
      ["udp"],
    );
    assert.deepEqual(one?.spec, { items: [{ name: "b" }], kept: 1 });
    // A sidecar makes kubectl give the order of the containers, which changes nothing.
    const others = second.filter(({ kind }) => kind !== "Deployment");
    assert.deepEqual(await changedByKubectl(others), []);
    const before = (await read(second[2] ?? definition)).metadata.generation;
    await kubectl(["apply"], second);
    assert.equal((await read(second[2] ?? definition)).metadata.generation, before);
  });

  test("what kubectl applied, we find unchanged, down to the annotation", async () => {
    // Of two ports with one number, kubectl merges one into the other.
    const objects = first.filter(({ kind }) => kind !== "Service");
    await kubectl(["apply"], objects);
    const noted = await Promise.all(objects.map(read));
    const messages = await apply(objects);
    assert.deepEqual(
      messages.filter((message) => !message.endsWith(" unchanged")),
      [],
    );
    for (const [index, object] of objects.entries()) {
      const before = noted[index]?.metadata.annotations?.[annotationKeys.lastApplied];
      assert.equal((await read(object)).metadata.annotations?.[annotationKeys.lastApplied], before);
    }
  });

  test("a second port of the same number comes and goes, whichever protocol it has", async () => {
    await apply([service([port("tcp", "TCP")])]);
    await apply([service([port("tcp", "TCP"), port("udp", "UDP")])]);
    const { ports } = Object((await read(service([]))).spec);
    assert.deepEqual(
      ports.map(({ protocol }: { protocol: string }) => protocol),
      ["TCP", "UDP"],
    );
  });
});
