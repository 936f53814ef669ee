import type { AdmissionHook } from "../objects/world.ts";
import { isRecord, type KubeObject } from "../types.ts";

const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

/** The admission plugin TaintNodesByCondition: a node is tainted until it says that it is ready. */
export const nodeHook: AdmissionHook = {
  admit(node, previous) {
    if (previous !== undefined || isReady(node)) return node;
    const spec = isRecord(node.spec) ? node.spec : {};
    const taints = Array.isArray(spec.taints) ? spec.taints : [];
    if (taints.some((taint) => isRecord(taint) && taint.key === notReady.key)) return node;
    return { ...node, spec: { ...spec, taints: [...taints, notReady] } };
  },
};

function isReady({ status }: KubeObject): boolean {
  const conditions = isRecord(status) && Array.isArray(status.conditions) ? status.conditions : [];
  return conditions.some((one) => isRecord(one) && one.type === "Ready" && one.status === "True");
}
