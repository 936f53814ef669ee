import { createObject } from "../objects/create-object.ts";
import type { World } from "../objects/world.ts";
import type { KubeObject } from "../types.ts";

const namespaces = ["default", "kube-node-lease", "kube-public", "kube-system"];

/** pkg/apis/scheduling/v1 SystemPriorityClasses. */
const priorityClasses = [
  ["system-node-critical", 2_000_001_000, "Of Pods that must stay on the node where they are."],
  ["system-cluster-critical", 2_000_000_000, "Of Pods that a cluster needs, on whichever node."],
] as const;

/** What every cluster has before anyone asks. */
export function createFirstObjects(world: World): void {
  for (const name of namespaces)
    ensure(world, "/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  for (const [name, value, description] of priorityClasses)
    ensure(world, "scheduling.k8s.io/priorityclasses", {
      apiVersion: "scheduling.k8s.io/v1",
      kind: "PriorityClass",
      metadata: { name },
      value,
      description,
    });
  ensure(world, "/services", {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name: "kubernetes",
      namespace: "default",
      labels: { component: "apiserver", provider: "kubernetes" },
      annotations: { "capstan.dev/simulated": "this cluster is simulated by capstan, nothing runs in it" },
    },
    spec: { ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: 6443 }], type: "ClusterIP" },
  });
}

function ensure(world: World, type: string, object: KubeObject): void {
  const served = world.registry.byType(type);
  const { namespace = "", name = "" } = object.metadata;
  if (served === undefined || world.store.get(type, namespace, name) !== undefined) return;
  createObject(world, { served, namespace, object }, { dryRun: false, manager: "capstan", subresource: "" });
}
