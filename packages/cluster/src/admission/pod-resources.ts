import { isObject, type JsonObject, listAt, objectAt, textAt } from "../schema/json.ts";
import type { KubeObject } from "../types.ts";
import { type Amounts, addAll, raiseTo, readAmounts } from "./amounts.ts";

export function containersOf(pod: KubeObject, list: "containers" | "initContainers"): JsonObject[] {
  return listAt(pod, "spec", list).filter(isObject);
}

/** What a Pod asks for as a whole (component-helpers resource PodRequests, PodLimits): init containers run one by one. */
export function podTotal(pod: KubeObject, which: "requests" | "limits"): Amounts {
  const total: Amounts = new Map();
  const sidecars: Amounts = new Map();
  const peak: Amounts = new Map();
  for (const container of containersOf(pod, "containers"))
    addAll(total, readAmounts(objectAt(container, "resources")?.[which]));
  for (const container of containersOf(pod, "initContainers")) {
    const own = readAmounts(objectAt(container, "resources")?.[which]);
    if (textAt(container, "restartPolicy") === "Always") {
      addAll(sidecars, own);
      addAll(total, own);
      raiseTo(peak, sidecars);
    } else {
      const together = new Map(own);
      addAll(together, sidecars);
      raiseTo(peak, together);
    }
  }
  raiseTo(total, peak);
  const overhead = readAmounts(objectAt(pod, "spec", "overhead"));
  if (which === "requests" || total.size > 0) addAll(total, overhead);
  return total;
}
