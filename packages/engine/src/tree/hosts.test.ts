import assert from "node:assert/strict";
import { test } from "node:test";
import type { Manifest } from "@capstan/model";
import { hostsOf } from "./hosts.ts";
import { podRequests } from "./pod-requests.ts";

const node: Manifest = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "b", labels: { zone: "z1", secret: "x" } },
  status: {
    capacity: { cpu: "4", memory: "8Gi", pods: "110", "ephemeral-storage": "1Gi" },
    nodeInfo: { architecture: "amd64" },
  },
};

function pod(name: string, spec: object, status: object = { phase: "Running" }): Manifest {
  return { apiVersion: "v1", kind: "Pod", metadata: { name }, spec, status };
}

const asks = (cpu: string, memory?: string) => ({
  resources: { requests: { cpu, ...(memory ? { memory } : {}) } },
});

test("a node tells its capacity, what the application asks of it and what its neighbours do together", () => {
  const pods = [
    pod("own", { containers: [asks("100m", "1Mi"), asks("1")] }),
    pod("other", { containers: [asks("250m")] }),
    pod("ended", { containers: [asks("2")] }, { phase: "Succeeded" }),
  ];
  const [first, second] = hostsOf(
    [
      { node, pods },
      { node: { ...node, metadata: { name: "a" } }, pods: [] },
    ],
    {
      isOwn: ({ metadata }) => metadata.name === "own",
      labels: ["zone", "absent"],
    },
  );
  assert.deepEqual([first?.name, first?.labels], ["a", {}]);
  assert.deepEqual(second, {
    name: "b",
    resourcesInfo: [
      { resourceName: "cpu", capacity: 4_000, requestedByApp: 1_100, requestedByNeighbors: 250 },
      {
        resourceName: "memory",
        capacity: 8 * 1024 ** 3 * 1000,
        requestedByApp: 1024 ** 2 * 1000,
        requestedByNeighbors: 0,
      },
    ],
    systemInfo: { architecture: "amd64" },
    labels: { zone: "z1" },
  });
});

const cpu = (one: Manifest) => Number(podRequests(one).get("cpu") ?? 0n) / 1e6;

test("init containers count where they ask for more, sidecars always, and overhead is added", () => {
  const sidecar = { ...asks("200m"), restartPolicy: "Always" };
  assert.equal(cpu(pod("a", { containers: [asks("1")], initContainers: [asks("3")] })), 3_000);
  assert.equal(cpu(pod("b", { containers: [asks("1")], initContainers: [sidecar, asks("900m")] })), 1_200);
  assert.equal(cpu(pod("c", { containers: [asks("1")], initContainers: [sidecar, asks("2")] })), 2_200);
  assert.equal(cpu(pod("d", { containers: [asks("1")], overhead: { cpu: "50m" } })), 1_050);
  assert.equal(cpu(pod("e", { containers: [{ resources: { requests: { cpu: 2 } } }, asks("x")] })), 2_000);
});

test("while a container is resized the most of wanted and given counts; what cannot be does not", () => {
  const containers = [{ name: "main", ...asks("3") }];
  const containerStatuses = [{ name: "main", ...asks("1"), allocatedResources: { cpu: "2" } }];
  assert.equal(cpu(pod("a", { containers }, { containerStatuses })), 3_000);
  const conditions = [{ type: "PodResizePending", status: "True", reason: "Infeasible" }];
  assert.equal(cpu(pod("b", { containers }, { containerStatuses, conditions })), 2_000);
});
