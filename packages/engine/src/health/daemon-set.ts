import { countOf, fieldsAt, type HealthRule, health } from "./health-rule.ts";

export const daemonSet: HealthRule = {
  group: "apps",
  kind: "DaemonSet",
  versions: ["v1"],
  assess(live) {
    const status = fieldsAt(live, "status");
    if ((live.metadata.generation ?? 0) > countOf(status.observedGeneration)) {
      return health(
        "Progressing",
        "Waiting for rollout to finish: observed daemon set generation less than desired generation",
      );
    }
    const updated = countOf(status.updatedNumberScheduled);
    const desired = countOf(status.desiredNumberScheduled);
    const available = countOf(status.numberAvailable);
    if (fieldsAt(live, "spec", "updateStrategy").type === "OnDelete") {
      return health("Healthy", `daemon set ${updated} out of ${desired} new pods have been updated`);
    }
    const name = live.metadata.name ?? "";
    if (updated < desired) {
      return health(
        "Progressing",
        `Waiting for daemon set "${name}" rollout to finish: ${updated} out of ${desired} new pods have been updated...`,
      );
    }
    if (available < desired) {
      return health(
        "Progressing",
        `Waiting for daemon set "${name}" rollout to finish: ${available} of ${desired} updated pods are available...`,
      );
    }
    return health("Healthy");
  },
};
