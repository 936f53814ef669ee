import { countOf, fieldsAt, type HealthRule, health, textOf } from "./health-rule.ts";

export const statefulSet: HealthRule = {
  group: "apps",
  kind: "StatefulSet",
  versions: ["v1"],
  assess(live) {
    const spec = fieldsAt(live, "spec");
    const status = fieldsAt(live, "status");
    const observed = countOf(status.observedGeneration);
    if (observed === 0 || (live.metadata.generation ?? 0) > observed) {
      return health("Progressing", "Waiting for statefulset spec update to be observed...");
    }
    const desired = spec.replicas;
    const ready = countOf(status.readyReplicas);
    const updated = countOf(status.updatedReplicas);
    if (typeof desired === "number" && ready < desired) {
      return health("Progressing", `Waiting for ${desired - ready} pods to be ready...`);
    }
    const strategy = fieldsAt(spec, "updateStrategy");
    const rolling = strategy.rollingUpdate;
    if (strategy.type === "RollingUpdate" && rolling !== undefined && rolling !== null) {
      const partition = fieldsAt(strategy, "rollingUpdate").partition;
      if (typeof desired === "number" && typeof partition === "number" && updated < desired - partition) {
        return health(
          "Progressing",
          `Waiting for partitioned roll out to finish: ${updated} out of ${desired - partition} new pods have been updated...`,
        );
      }
      return health("Healthy", `partitioned roll out complete: ${updated} new pods have been updated...`);
    }
    if (strategy.type === "OnDelete") {
      return health("Healthy", `statefulset has ${ready} ready pods`);
    }
    if (textOf(status.updateRevision) !== textOf(status.currentRevision)) {
      return health(
        "Progressing",
        `waiting for statefulset rolling update to complete ${updated} pods at revision ${textOf(status.updateRevision)}...`,
      );
    }
    return health(
      "Healthy",
      `statefulset rolling update complete ${countOf(status.currentReplicas)} pods at revision ${textOf(status.currentRevision)}...`,
    );
  },
};
