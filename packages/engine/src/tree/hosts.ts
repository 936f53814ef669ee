import type { HostInfo, HostResourceInfo, Manifest } from "@capstan/model";
import { fieldsAt } from "../health/health-rule.ts";
import { amountsOf, hasEnded, inMilli, podRequests } from "./pod-requests.ts";

export interface Host {
  readonly node: Manifest;
  /** All that are placed there, whosever they are: of others only what they ask for together is told. */
  readonly pods: readonly Manifest[];
}

interface Options {
  /** Whether the application's tree has this Pod. */
  isOwn(pod: Manifest): boolean;
  /** Of the nodes' labels those that are told (application.allowedNodeLabels). */
  labels: readonly string[];
}

/** What is told of, in the order in which it is. */
const resources = ["cpu", "memory", "storage"];

/** The nodes on which an application's Pods are, and what they and their neighbours ask for (controller getAppHosts). */
export function hostsOf(hosts: readonly Host[], { isOwn, labels }: Options): HostInfo[] {
  return hosts
    .map(({ node, pods }) => ({
      name: node.metadata.name ?? "",
      resourcesInfo: resourcesInfo(node, pods, isOwn),
      systemInfo: { ...fieldsAt(node, "status", "nodeInfo") },
      labels: chosen(node.metadata.labels ?? {}, labels),
    }))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}

function resourcesInfo(
  node: Manifest,
  pods: readonly Manifest[],
  isOwn: (pod: Manifest) => boolean,
): HostResourceInfo[] {
  const capacity = amountsOf(fieldsAt(node, "status", "capacity"));
  const found = resources.map((resourceName) => ({
    resourceName,
    capacity: inMilli(capacity.get(resourceName) ?? 0n),
    requestedByApp: 0,
    requestedByNeighbors: 0,
  }));
  for (const pod of pods) {
    const own = isOwn(pod);
    if (!own && hasEnded(pod)) continue;
    const requests = podRequests(pod);
    for (const one of found) {
      const asked = inMilli(requests.get(one.resourceName) ?? 0n);
      if (own) one.requestedByApp += asked;
      else one.requestedByNeighbors += asked;
    }
  }
  return found.filter((one) => one.capacity > 0);
}

function chosen(labels: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (Object.hasOwn(labels, name) ? [[name, labels[name] ?? ""]] : [])),
  );
}
