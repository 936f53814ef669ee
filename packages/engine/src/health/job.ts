import { conditionsOf, type HealthRule, health } from "./health-rule.ts";

export const job: HealthRule = {
  group: "batch",
  kind: "Job",
  versions: ["v1"],
  assess(live) {
    // The presence of Failed and Complete counts, whatever their status (gitops-engine health_job.go).
    let isComplete = false;
    let isSuspended = false;
    let failure: string | undefined;
    let message = "";
    for (const condition of conditionsOf(live)) {
      if (condition.type === "Failed") failure = condition.message;
      else if (condition.type === "Complete") [isComplete, message] = [true, condition.message];
      else if (condition.type === "Suspended" && condition.status === "True") {
        [isSuspended, message] = [true, condition.message];
      }
    }
    if (failure !== undefined) return health("Degraded", failure);
    if (isSuspended) return health("Suspended", message);
    return isComplete ? health("Healthy", message) : health("Progressing", message);
  },
};
