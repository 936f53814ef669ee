import type { AdmissionHook } from "../objects/world.ts";
import type { Store } from "../store/store.ts";
import { ApiError, isRecord, type KubeObject } from "../types.ts";

/**
 * What the admission plugins ServiceAccount, Priority and RuntimeClass read from other objects for a new Pod. The token volume is
 * left out: nothing would read it.
 */
export function podHook(store: Pick<Store, "list" | "get">): AdmissionHook {
  return {
    admit(pod, previous) {
      if (previous !== undefined || !isRecord(pod.spec)) return pod;
      const account = pod.spec.serviceAccountName || "default";
      const priority = priorityOf(store, pod, pod.spec.priorityClassName);
      requirePriority(pod, pod.spec, priority);
      requireRuntime(store, pod, pod.spec.runtimeClassName);
      const spec = {
        ...pod.spec,
        serviceAccountName: account,
        serviceAccount: account,
        ...priority,
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
  if (system !== undefined) return { priority: system, preemptionPolicy: usualPolicy };
  const found = store.get(classes, "", name)?.object;
  if (found !== undefined) return fromClass(found);
  throw refused(pod, `no PriorityClass with name ${name} was found`);
}

function refused({ metadata: { name = "" } }: KubeObject, why: string): ApiError {
  return new ApiError(403, "Forbidden", `pods "${name}" is forbidden: ${why}`, { name, kind: "pods" });
}

const usualPolicy = "PreemptLowerPriority";

/** The Priority plugin: what a Pod says of itself must be what its class says. */
function requirePriority(
  pod: KubeObject,
  spec: Record<string, unknown>,
  computed: Record<string, unknown>,
): void {
  const { priority = 0, preemptionPolicy = usualPolicy } = computed;
  const from = "priority admission controller computed";
  if (spec.priority !== undefined && spec.priority !== 0 && spec.priority !== priority)
    throw refused(
      pod,
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; ${from} ${priority} from the given PriorityClass name`,
    );
  const policy = spec.preemptionPolicy;
  if (policy !== undefined && policy !== usualPolicy && policy !== preemptionPolicy)
    throw refused(
      pod,
      `the string value of PreemptionPolicy (${policy}) must not be provided in pod spec; ${from} ${preemptionPolicy} from the given PriorityClass name`,
    );
}

/** The RuntimeClass plugin */
function requireRuntime(store: Pick<Store, "get">, pod: KubeObject, name: unknown): void {
  if (typeof name !== "string" || store.get("node.k8s.io/runtimeclasses", "", name) !== undefined) return;
  throw refused(pod, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
}

function fromClass({ value, preemptionPolicy }: KubeObject): Record<string, unknown> {
  return { priority: value, preemptionPolicy: preemptionPolicy ?? usualPolicy };
}
