import { ApiError, type KubeObject } from "../../types.ts";
import { type Context, type Controller, lookUp, ownChanges, timestamp } from "../controller.ts";
import type { Condition } from "../kinds.ts";
import { resourceTypes } from "../resource-types.ts";
import { hostIP, nodeName, nothingRuns } from "../simulation.ts";
import { writeStatus } from "../write-status.ts";

interface Taint {
  key: string;
  effect: string;
}

interface SimulatedNode extends KubeObject {
  spec?: { taints?: readonly Taint[] };
  status?: { conditions?: readonly Condition[] };
}

const leaseNamespace = "kube-node-lease";
const renewEveryMs = 60_000;

/** Keeps the one node there, Ready and owning up to what it is; renews its Lease. */
export function simulatedNode(context: Context): Controller {
  const { objects, clock } = context;
  return {
    name: "node",
    watches: [{ ...ownChanges(resourceTypes.nodes), keysOf: nodeKeys }],
    async reconcile(key) {
      const known = lookUp<SimulatedNode>(objects, resourceTypes.nodes, key);
      const node = known ?? (await objects.create<SimulatedNode>(resourceTypes.nodes, newNode()));
      const status = {
        ...nodeStatus(),
        conditions: node.status?.conditions ?? conditions(timestamp(clock.now())),
      };
      await writeStatus(objects, resourceTypes.nodes, {
        object: node,
        status: { ...node.status, ...status },
      });
      await removeTaint(context, key);
      await renewLease(context, node);
      return renewEveryMs;
    },
  };
}

/** A Ready node loses the taint of new ones (pkg/controller/nodelifecycle doNoScheduleTaintingPass). */
async function removeTaint({ objects }: Context, key: string): Promise<void> {
  const node = lookUp<SimulatedNode>(objects, resourceTypes.nodes, key);
  const taints = node?.spec?.taints ?? [];
  const left = taints.filter((taint) => taint.key !== "node.kubernetes.io/not-ready");
  if (node === undefined || left.length === taints.length) return;
  const { taints: _taints, ...spec } = node.spec ?? {};
  await objects.update(resourceTypes.nodes, {
    ...node,
    spec: left.length > 0 ? { ...spec, taints: left } : spec,
  });
}

/** The key to begin with, as there may be no node yet. */
export const firstNodeKey = `/${nodeName}`;

function nodeKeys(object: { metadata: { name?: string } }): string[] {
  return object.metadata.name === nodeName ? [firstNodeKey] : [];
}

function newNode(): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name: nodeName,
      labels: {
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": nodeName,
        "kubernetes.io/os": "linux",
        "node-role.kubernetes.io/control-plane": "",
        "capstan.dev/simulated": "true",
      },
      annotations: { "capstan.dev/note": nothingRuns },
    },
    spec: {
      podCIDR: "10.244.0.0/16",
      podCIDRs: ["10.244.0.0/16"],
      providerID: `capstan-simulated://${nodeName}`,
    },
  };
}

function nodeStatus(): Record<string, unknown> {
  const resources = {
    cpu: "64",
    memory: "256Gi",
    "ephemeral-storage": "1Ti",
    pods: "60k",
    "hugepages-2Mi": "0",
  };
  return {
    capacity: resources,
    allocatable: resources,
    addresses: [
      { type: "InternalIP", address: hostIP },
      { type: "Hostname", address: nodeName },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: {
      architecture: "amd64",
      bootID: "capstan-simulated",
      containerRuntimeVersion: "capstan-simulated://nothing-runs",
      kernelVersion: "none (simulated)",
      kubeProxyVersion: "",
      kubeletVersion: "v1.36.3+capstan-simulated",
      machineID: "capstan-simulated",
      operatingSystem: "linux",
      osImage: "Capstan simulated node (nothing runs)",
      systemUUID: "capstan-simulated",
    },
  };
}

function conditions(now: string): Condition[] {
  const facts: [type: string, status: string, reason: string, message: string][] = [
    ["MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"],
    ["DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"],
    ["PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"],
    ["Ready", "True", "KubeletReady", `node is ${nothingRuns}`],
  ];
  return facts.map(([type, status, reason, message]) => {
    const times = { lastHeartbeatTime: now, lastTransitionTime: now };
    return { type, status, reason, message, ...times };
  });
}

async function renewLease({ objects, clock }: Context, node: KubeObject): Promise<void> {
  const known = objects.get<KubeObject & { spec?: object }>(resourceTypes.leases, leaseNamespace, nodeName);
  const renewTime = new Date(clock.now()).toISOString().replace("Z", "000Z");
  if (known) {
    await objects.update(resourceTypes.leases, { ...known, spec: { ...known.spec, renewTime } });
    return;
  }
  const { name = "", uid = "" } = node.metadata;
  const lease: KubeObject = {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: {
      name,
      namespace: leaseNamespace,
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name, uid }],
    },
    spec: { holderIdentity: name, leaseDurationSeconds: 3 * (renewEveryMs / 1_000), renewTime },
  };
  try {
    await objects.create(resourceTypes.leases, lease);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 404) throw error;
  }
}
