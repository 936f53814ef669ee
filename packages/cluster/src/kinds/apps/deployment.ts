import { specOf } from "../../registry/kind-rules.ts";
import { type JsonObject, numberAt, objectAt, textAt, valueAt } from "../../schema/json.ts";
import { containerCells, count, fraction, selector } from "../../schema/tables/cells.ts";
import { atMostWhole, countOrPercent } from "../../schema/validation/names.ts";
import {
  refuseDeadline,
  validateNotNegative,
  validateTemplate,
} from "../../schema/validation/pod-template.ts";
import { counts, ready } from "../../schema/validation/replica-counts.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";
import { deployments } from "../../workloads/apps/deployment.ts";
import type { Kind } from "../kind.ts";
import { isNone, rollingUnlessNamed, validateSame, validateTemplateSelector } from "./workload-rules.ts";

export const deployment: Kind = {
  group: "apps",
  resource: "deployments",
  metadataPasses: { update: 2, whole: 3 },
  // pkg/registry/apps/deployment strategy.PrepareForUpdate
  generation: (object) => ({ spec: specOf(object), annotations: object.metadata.annotations }),
  keptByStatus: ["labels", "ownerReferences"],
  defaults: {
    "io.k8s.api.apps.v1.DeploymentStrategy": rollingUnlessNamed,
  },
  validate: validateDeployment,
  validateStatus: counts({
    notNegative: [
      "observedGeneration",
      "replicas",
      "updatedReplicas",
      "readyReplicas",
      "availableReplicas",
      "unavailableReplicas",
      "terminatingReplicas",
      "collisionCount",
    ],
    ofReplicas: ["updatedReplicas", "readyReplicas", "availableReplicas"],
    ready,
    collisions: true,
  }),
  podTemplate: ["spec", "template"],
  cells: {
    Ready: fraction(["status", "readyReplicas"], ["spec", "replicas"]),
    "Up-to-date": count("status", "updatedReplicas"),
    Available: count("status", "availableReplicas"),
    ...containerCells("spec", "template"),
    Selector: selector("spec", "selector"),
  },
  simulation: { make: deployments },
};

function validateDeployment(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  validateTemplateSelector(report, object, { kind: "deployment", required: true });
  validateTemplate(report, valueAt(object, "spec", "template"), {
    field: "spec.template",
    restart: ["Always"],
  });
  refuseDeadline(report, object, "ReplicaSet");
  validateNotNegative(report, object, ["spec.replicas", "spec.revisionHistoryLimit", "spec.minReadySeconds"]);
  validateDeploymentStrategy(report, objectAt(object, "spec", "strategy"));
  const deadline = numberAt(object, "spec", "progressDeadlineSeconds");
  if (deadline !== undefined && deadline <= (numberAt(object, "spec", "minReadySeconds") ?? 0))
    report.invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds");
  validateSame(report, { object, previous, field: "spec.selector" });
}

function validateDeploymentStrategy(report: Report, strategy: JsonObject | undefined): void {
  const type = textAt(strategy, "type");
  const rolling = objectAt(strategy, "rollingUpdate");
  const field = "spec.strategy.rollingUpdate";
  if (type === "Recreate" && rolling)
    report.forbidden(field, "may not be specified when strategy `type` is 'Recreate'");
  else if (type !== "Recreate" && type !== "RollingUpdate")
    report.unsupported("spec.strategy", { Type: type, RollingUpdate: rolling ?? null }, [
      "Recreate",
      "RollingUpdate",
    ]);
  if (type !== "RollingUpdate" || !rolling) return;
  const { maxSurge, maxUnavailable } = rolling;
  const before = report.errors.length;
  for (const problem of [...countOrPercent(maxUnavailable), ...atMostWhole(maxUnavailable)])
    report.invalid(`${field}.maxUnavailable`, maxUnavailable, problem);
  for (const problem of countOrPercent(maxSurge)) report.invalid(`${field}.maxSurge`, maxSurge, problem);
  if (report.errors.length === before && isNone(maxSurge) && isNone(maxUnavailable))
    report.invalid(`${field}.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0");
}
