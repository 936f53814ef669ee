import { conditionsOf, countOf, fieldsAt, type HealthRule, health } from "./health-rule.ts";

export const deployment: HealthRule = {
  group: "apps",
  kind: "Deployment",
  versions: ["v1"],
  assess(live) {
    const spec = fieldsAt(live, "spec");
    const status = fieldsAt(live, "status");
    if (spec.paused === true) return health("Suspended", "Deployment is paused");
    if ((live.metadata.generation ?? 0) > countOf(status.observedGeneration)) {
      return health(
        "Progressing",
        "Waiting for rollout to finish: observed deployment generation less than desired generation",
      );
    }
    const progressing = conditionsOf(live).find(({ type }) => type === "Progressing");
    if (progressing?.reason === "ProgressDeadlineExceeded") {
      return health("Degraded", `Deployment "${live.metadata.name ?? ""}" exceeded its progress deadline`);
    }
    const updated = countOf(status.updatedReplicas);
    const replicas = countOf(status.replicas);
    const available = countOf(status.availableReplicas);
    const desired = spec.replicas;
    if (typeof desired === "number" && updated < desired) {
      return health(
        "Progressing",
        `Waiting for rollout to finish: ${updated} out of ${desired} new replicas have been updated...`,
      );
    }
    if (replicas > updated) {
      return health(
        "Progressing",
        `Waiting for rollout to finish: ${replicas - updated} old replicas are pending termination...`,
      );
    }
    if (available < updated) {
      return health(
        "Progressing",
        `Waiting for rollout to finish: ${available} of ${updated} updated replicas are available...`,
      );
    }
    return health("Healthy");
  },
};
