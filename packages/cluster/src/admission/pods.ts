import type { AdmissionHook } from "../objects/world.ts";
import type { Store } from "../store/store.ts";
import { ApiError, isRecord, type KubeObject } from "../types.ts";

/**
 * What the admission plugins ServiceAccount and Priority read from other objects for a new Pod. The token volume is
 * left out: nothing would read it.
 */
export function podHook(store: Pick<Store, "list" | "get">): AdmissionHook {
  return {
    type: "/pods",
    admit(pod, previous) {
      if (previous !== undefined || !isRecord(pod.spec)) return pod;
      const account = pod.spec.serviceAccountName || "default";
      const spec = {
        ...pod.spec,
        serviceAccountName: account,
        serviceAccount: account,
        ...priorityOf(store, pod, pod.spec.priorityClassName),
      };
      return { ...pod, spec };
    },
  };
}

const systemPriorities: Record<string, number> = {
  "system-cluster-critical": 2_000_000_000,
  "system-node-critical": 2_000_001_000,
};

const classes = "scheduling.k8s.io/priorityclasses";

function priorityOf(
  store: Pick<Store, "list" | "get">,
  pod: KubeObject,
  name: unknown,
): Record<string, unknown> {
  if (typeof name !== "string" || name === "") {
    const chosen = store.list(classes).find(({ object }) => object.globalDefault === true)?.object;
    if (chosen === undefined) return {};
    return { ...fromClass(chosen), priorityClassName: chosen.metadata.name };
  }
  const system = systemPriorities[name];
  if (system !== undefined) return { priority: system, preemptionPolicy: "PreemptLowerPriority" };
  const found = store.get(classes, "", name)?.object;
  if (found !== undefined) return fromClass(found);
  const podName = pod.metadata.name ?? "";
  throw new ApiError(
    403,
    "Forbidden",
    `pods "${podName}" is forbidden: no PriorityClass with name ${name} was found`,
    {
      name: podName,
      kind: "pods",
    },
  );
}

function fromClass({ value, preemptionPolicy }: KubeObject): Record<string, unknown> {
  return { priority: value, preemptionPolicy: preemptionPolicy ?? "PreemptLowerPriority" };
}
