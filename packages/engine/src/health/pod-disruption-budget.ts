import { conditionsOf, type HealthRule, health } from "./health-rule.ts";

/** Too few pods is what the budget guards against, not a fault of the budget. */
export const podDisruptionBudget: HealthRule = {
  group: "policy",
  kind: "PodDisruptionBudget",
  versions: [],
  assess(live) {
    const conditions = conditionsOf(live);
    if (conditions.length === 0) return health("Progressing", "Waiting for status");
    const failed = conditions.find(
      ({ status, reason }) => status === "False" && reason !== "InsufficientPods",
    );
    if (failed !== undefined) return health("Degraded", `PodDisruptionBudget has ${failed.reason}`);
    return health("Healthy", `PodDisruptionBudget has ${conditions[0]?.reason ?? ""}`);
  },
};
