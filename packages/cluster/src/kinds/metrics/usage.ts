import { parseQuantity, printQuantity } from "@capstan/formats";
import { isObject, listAt, objectAt, textAt } from "../../schema/json.ts";
import type { Entry } from "../../store/entry.ts";
import type { KubeObject, ResourceInfo } from "../../types.ts";
import { nothingRuns } from "../../workloads/simulation.ts";

/** Billionths of a processor, and bytes. */
export interface Usage {
  readonly cpu: bigint;
  readonly memory: bigint;
}

export interface ContainerUsage extends Usage {
  readonly name: string;
}

const billion = 10n ** 9n;
/** What a container uses that requests nothing. */
const least: Usage = { cpu: billion / 1_000n, memory: 16n << 20n };

export const figuresNotice = `${nothingRuns}; these figures are half of what the containers request`;

/** By the version of a Pod: lists of thousands are asked for every few seconds. */
const known = new WeakMap<Entry, readonly ContainerUsage[]>();

/** Of the containers that run. */
export function usageOfPod(pod: Entry): readonly ContainerUsage[] {
  const before = known.get(pod);
  if (before !== undefined) return before;
  const usage = readUsage(pod.object);
  known.set(pod, usage);
  return usage;
}

function readUsage({ spec, status }: KubeObject): ContainerUsage[] {
  const statuses = [...listAt(status, "containerStatuses"), ...listAt(status, "initContainerStatuses")];
  const running = new Set(
    statuses.filter((one) => objectAt(one, "state", "running")).map((one) => textAt(one, "name")),
  );
  return [...listAt(spec, "containers"), ...listAt(spec, "initContainers")]
    .filter((container) => isObject(container) && running.has(textAt(container, "name")))
    .map((container) => ({
      name: textAt(container, "name"),
      cpu: half(container, "cpu"),
      memory: half(container, "memory"),
    }));
}

function half(container: unknown, resource: keyof Usage): bigint {
  const requested = parseQuantity(textAt(container, "resources", "requests", resource));
  if (requested === undefined) return least[resource];
  return requested.nanos / (resource === "cpu" ? 2n : 2n * billion);
}

export function sumOf(usages: Iterable<Usage>): Usage {
  let [cpu, memory] = [0n, 0n];
  for (const usage of usages) {
    cpu += usage.cpu;
    memory += usage.memory;
  }
  return { cpu, memory };
}

/** As metrics-server writes them: memory in whole Ki. */
export function printUsage({ cpu, memory }: Usage): Record<string, string> {
  return {
    cpu: printQuantity({ nanos: cpu, format: "decimal" }),
    memory: `${memory / 1024n}Ki`,
  };
}

/** What metrics-server tells beside the figures (its pkg/api): the object is as old as the answer. */
export function metricsOf(kind: string, source: KubeObject, now: string): KubeObject {
  const { name, namespace, labels } = source.metadata;
  return {
    apiVersion: "metrics.k8s.io/v1beta1",
    kind,
    metadata: {
      name: name ?? "",
      ...(namespace !== undefined && { namespace }),
      creationTimestamp: now,
      ...(labels && { labels }),
      annotations: { "capstan.dev/simulated": figuresNotice },
    },
    timestamp: now,
    window: "15s",
  };
}

export function described(kind: string, resource: string, namespaced: boolean): ResourceInfo {
  return {
    group: "metrics.k8s.io",
    version: "v1beta1",
    kind,
    resource,
    singular: "",
    namespaced,
    shortNames: [],
    categories: [],
    verbs: ["get", "list"],
    subresources: [],
    storageVersion: "v1beta1",
  };
}
