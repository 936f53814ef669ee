import { conditionsOf, countOf, fieldsAt, type HealthRule, health } from "./health-rule.ts";

export const replicaSet: HealthRule = {
  group: "apps",
  kind: "ReplicaSet",
  versions: ["v1"],
  assess(live) {
    const status = fieldsAt(live, "status");
    if ((live.metadata.generation ?? 0) > countOf(status.observedGeneration)) {
      return health(
        "Progressing",
        "Waiting for rollout to finish: observed replica set generation less than desired generation",
      );
    }
    const failure = conditionsOf(live).find(({ type }) => type === "ReplicaFailure");
    if (failure?.status === "True") return health("Degraded", failure.message);
    const desired = fieldsAt(live, "spec").replicas;
    const available = countOf(status.availableReplicas);
    if (typeof desired === "number" && available < desired) {
      return health(
        "Progressing",
        `Waiting for rollout to finish: ${available} out of ${desired} new replicas are available...`,
      );
    }
    return health("Healthy");
  },
};
