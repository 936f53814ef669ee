import type { Manifest, ResourceNode } from "@capstan/model";
import type { Pair } from "./objects.ts";
import { randomText } from "./random.ts";
import type { Recipe, Workload } from "./recipes.ts";

export const isPair = (workload: Workload, manifest: Manifest) =>
  workload.kind === manifest.kind && workload.name === manifest.metadata.name;

export function workloadHealth({ health }: Workload): string {
  return health ?? "Healthy";
}

function splitVersion(apiVersion: string): { group: string; version: string } {
  const [left = "", right] = apiVersion.split("/");
  return right === undefined ? { group: "", version: left } : { group: left, version: right };
}

const created = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString();

/** Nodes of one application: what git has, and what the cluster's controllers made of it. */
export function treeNodes(recipe: Recipe, pairs: readonly Pair[], random: () => number): ResourceNode[] {
  return pairs.flatMap(({ target, live }) => {
    const manifest = live ?? target;
    if (!manifest) return [];
    const { group, version } = splitVersion(manifest.apiVersion);
    const workload = recipe.workloads.find((candidate) => isPair(candidate, manifest));
    const node: ResourceNode = {
      group,
      version,
      kind: manifest.kind,
      namespace: manifest.metadata.namespace ?? "",
      name: manifest.metadata.name ?? "",
    };
    if (!live) return [node];
    Object.assign(node, {
      uid: live.metadata.uid,
      resourceVersion: live.metadata.resourceVersion,
      createdAt: created(6),
    });
    if (workload)
      node.health = {
        status: toHealth(workloadHealth(workload)),
        ...(workload.message && { message: workload.message }),
      };
    if (manifest.kind === "Service") node.health = { status: "Healthy" };
    return [node, ...(workload ? owned(workload, node, random) : [])];
  });
}

/** What lies in the application's namespace and belongs to none. */
export function orphanNodes({ namespace, orphans = [] }: Recipe): ResourceNode[] {
  return orphans.map((name) => ({ group: "", version: "v1", kind: "ConfigMap", namespace, name, uid: name }));
}

type Health = "Healthy" | "Suspended" | "Progressing" | "Missing" | "Degraded" | "Unknown";

export function toHealth(text: string): Health {
  const all: readonly Health[] = ["Healthy", "Suspended", "Progressing", "Missing", "Degraded", "Unknown"];
  return all.find((status) => status === text) ?? "Unknown";
}

function child(owner: ResourceNode, kind: string, name: string): ResourceNode {
  const group = kind === "ReplicaSet" ? "apps" : kind === "Job" ? "batch" : "";
  return {
    group,
    version: "v1",
    kind,
    namespace: owner.namespace ?? "",
    name,
    uid: `uid-${kind}-${name}`.toLowerCase(),
    resourceVersion: "2000",
    parentRefs: [
      {
        group: owner.group ?? "",
        kind: owner.kind,
        namespace: owner.namespace ?? "",
        name: owner.name,
        uid: owner.uid ?? "",
      },
    ],
    createdAt: created(2),
    health: { status: "Healthy" },
  };
}

function owned(workload: Workload, node: ResourceNode, random: () => number): ResourceNode[] {
  if (workload.kind === "CronJob") {
    const job = child(node, "Job", `${workload.name}-${randomText(random, 8)}`);
    return [job, ...pods(workload, job, random)];
  }
  if (workload.kind !== "Deployment") return pods(workload, node, random);
  const current = child(node, "ReplicaSet", `${workload.name}-${randomText(random, 10)}`);
  const count = workload.oldReplicaSets ?? 0;
  current.info = [{ name: "Revision", value: `Rev:${count + 1}` }];
  const old = Array.from({ length: count }, (_, index) => ({
    ...child(node, "ReplicaSet", `${workload.name}-${randomText(random, 10)}`),
    createdAt: created(10 + index),
    info: [{ name: "Revision", value: `Rev:${count - index}` }],
  }));
  return [current, ...old, ...(workload.pods > 0 ? pods(workload, current, random) : [])];
}

function pods(workload: Workload, owner: ResourceNode, random: () => number): ResourceNode[] {
  return Array.from({ length: workload.pods }, (_, index) => {
    const unwell = index < (workload.unwell ?? 0);
    const suffix = workload.kind === "StatefulSet" ? String(index) : randomText(random, 5);
    const pod = child(owner, "Pod", `${owner.name}-${suffix}`);
    const status = workload.health === "Progressing" ? "Progressing" : "Degraded";
    pod.info = [
      { name: "Status Reason", value: unwell ? (workload.reason ?? "Error") : "Running" },
      { name: "Node", value: `node-${(index % 5) + 1}` },
      { name: "Containers", value: unwell ? "0/1" : "1/1" },
    ];
    if (unwell && workload.reason === "CrashLoopBackOff")
      pod.info.push({ name: "Restart Count", value: "17" });
    if (unwell) pod.health = { status, message: messageOf(workload.reason) };
    return pod;
  });
}

function messageOf(reason: string | undefined): string {
  if (reason === "CrashLoopBackOff") return "back-off 5m0s restarting failed container=main";
  if (reason === "Pending") return "0/34 nodes are available: 1 Insufficient memory";
  return reason ?? "";
}
