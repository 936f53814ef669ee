import assert from "node:assert/strict";
import { test } from "node:test";
import type { Manifest } from "@capstan/model";
import { assessHealth } from "../health/assess-health.ts";
import { buildTree } from "./build-tree.ts";
import { networkingOf } from "./networking.ts";
import { infoOf, podReason } from "./node-info.ts";

const object = (kind: string, name: string, extra: { [field: string]: unknown } = {}): Manifest => ({
  apiVersion: kind === "Pod" || kind === "Service" ? "v1" : "apps/v1",
  kind,
  metadata: { name, namespace: "shop", uid: `${kind}-${name}`, creationTimestamp: "2026-01-01T00:00:00Z" },
  ...extra,
});

const children: { [uid: string]: Manifest[] } = {
  "Deployment-web": [object("ReplicaSet", "web-1")],
  "ReplicaSet-web-1": [object("Pod", "web-1-a", { spec: { containers: [{ image: "shop:1" }] } })],
};

test("children follow their parents, with references to them", () => {
  const tree = buildTree({
    roots: [object("Deployment", "web")],
    missing: [object("Service", "web")],
    childrenOf: (uid) => children[uid] ?? [],
    healthOf: assessHealth,
  });
  assert.deepEqual(
    tree.nodes?.map(({ kind, name }) => `${kind}/${name}`),
    ["Deployment/web", "ReplicaSet/web-1", "Pod/web-1-a", "Service/web"],
  );
  assert.equal(tree.nodes?.[2]?.parentRefs?.[0]?.name, "web-1");
  assert.deepEqual(tree.nodes?.[2]?.images, ["shop:1"]);
  assert.equal(tree.nodes?.[3]?.health?.status, "Missing");
});

test("an object with two parents stands once, and a circle ends", () => {
  const a = object("A", "a");
  const b = object("B", "b");
  const tree = buildTree({
    roots: [a, b],
    childrenOf: (uid) => (uid === "A-a" ? [b] : [a]),
    healthOf: () => undefined,
  });
  assert.equal(tree.nodes?.length, 2);
});

const pod = (status: unknown, metadata = {}): Manifest => ({
  ...object("Pod", "p", {
    spec: { nodeName: "node-1", containers: [{}, {}], initContainers: [{}, {}] },
    status,
  }),
  metadata: { name: "p", ...metadata },
});

const reasons: [string, Manifest, string][] = [
  ["the phase", pod({ phase: "Running" }), "Running"],
  [
    "a waiting container",
    pod({ containerStatuses: [{ state: { waiting: { reason: "CrashLoopBackOff" } } }] }),
    "CrashLoopBackOff",
  ],
  ["an exit code", pod({ containerStatuses: [{ state: { terminated: { exitCode: 3 } } }] }), "ExitCode:3"],
  ["init containers to come", pod({ initContainerStatuses: [{ state: { running: {} } }] }), "Init:0/2"],
  [
    "an init container that fails",
    pod({ initContainerStatuses: [{ state: { terminated: { exitCode: 1, reason: "Error" } } }] }),
    "Init:Error",
  ],
  [
    "held back from the scheduler",
    pod({ phase: "Pending", conditions: [{ type: "PodScheduled", reason: "SchedulingGated" }] }),
    "SchedulingGated",
  ],
  [
    "ended, and on its way out",
    pod({ phase: "Succeeded" }, { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    "Succeeded",
  ],
  ["on its way out", pod({ phase: "Running" }, { deletionTimestamp: "2026-01-01T00:00:00Z" }), "Terminating"],
];
for (const [fact, live, expected] of reasons) {
  test(`a pod's reason: ${fact}`, () => assert.equal(podReason(live), expected));
}

test("a pod tells its node, containers and restarts", () => {
  const live = pod({
    phase: "Running",
    containerStatuses: [{ ready: true, restartCount: 2 }, { restartCount: 1 }],
  });
  assert.deepEqual(infoOf(live), [
    { name: "Status Reason", value: "Running" },
    { name: "Node", value: "node-1" },
    { name: "Containers", value: "1/2" },
    { name: "Restart Count", value: "3" },
    { name: "cpu", value: "0" },
    { name: "memory", value: "0" },
  ]);
});

test("a pod's sidecars count among its containers, and what it asks for is told while it lasts", () => {
  const resources = { requests: { cpu: "100m", memory: "1Ki" } };
  const spec = {
    initContainers: [{ name: "first" }, { name: "beside", restartPolicy: "Always", resources }],
    containers: [{ name: "main", resources }],
  };
  const initContainerStatuses = [
    { name: "first", ready: true, restartCount: 1, state: { terminated: { exitCode: 0 } } },
    { name: "beside", ready: true, started: true, state: { running: {} } },
  ];
  const containerStatuses = [{ name: "main", ready: true, state: { running: {} } }];
  const factsIn = (phase: string) =>
    Object.fromEntries(
      infoOf({ ...pod({ phase, initContainerStatuses, containerStatuses }), spec }).map(({ name, value }) => [
        name,
        value,
      ]),
    );
  const facts = { "Status Reason": "Running", Containers: "2/2", "Restart Count": "1" };
  assert.deepEqual(factsIn("Running"), { ...facts, cpu: "200", memory: "2048000" });
  assert.deepEqual(Object.keys(factsIn("Failed")), Object.keys(facts));
});

test("labels that the settings choose stand among an object's facts", () => {
  const live = {
    ...object("ConfigMap", "one"),
    metadata: { name: "one", labels: { team: "a", other: "b" } },
  };
  const input = { roots: [live], childrenOf: () => [], healthOf: () => undefined };
  const { nodes } = buildTree({ ...input, customLabels: ["absent", "team", "constructor"] });
  assert.deepEqual(nodes?.[0]?.info, [{ name: "team", value: "a" }]);
  assert.equal(buildTree(input).nodes?.[0]?.info, undefined);
});

test("a service tells what it selects and where it is reached", () => {
  const service = object("Service", "web", {
    spec: { selector: { app: "web" } },
    status: { loadBalancer: { ingress: [{ ip: "10.0.0.1" }] } },
  });
  assert.deepEqual(networkingOf(service), { targetLabels: { app: "web" }, ingress: [{ ip: "10.0.0.1" }] });
});

test("an ingress tells its services and its URLs", () => {
  const ingress: Manifest = {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { name: "web", namespace: "shop" },
    spec: {
      tls: [{ hosts: ["shop.example.com"] }],
      rules: [
        {
          host: "shop.example.com",
          http: { paths: [{ path: "/api", backend: { service: { name: "api" } } }] },
        },
      ],
    },
  };
  assert.deepEqual(networkingOf(ingress), {
    targetRefs: [{ kind: "Service", namespace: "shop", name: "api" }],
    externalURLs: ["https://shop.example.com/api"],
  });
});
