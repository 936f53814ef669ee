import { selectsLabels } from "@capstan/formats";
import { specOf } from "../../registry/kind-rules.ts";
import { fieldAt } from "../../registry/selectable-fields.ts";
import { inheritLabels } from "../../schema/inherit-labels.ts";
import { isObject, type JsonObject, objectAt } from "../../schema/json.ts";
import { printLabels } from "../../schema/tables/cells.ts";
import {
  refuseDeadline,
  validateNotNegative,
  validateTemplate,
} from "../../schema/validation/pod-template.ts";
import { replicaSetStatus } from "../../schema/validation/replica-counts.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";
import { replicationControllers } from "../../workloads/apps/replica-set.ts";
import { replicaSetCells } from "../apps/replica-set.ts";
import type { Kind } from "../kind.ts";

export const replicationController: Kind = {
  group: "",
  resource: "replicationcontrollers",
  storageKey: "controllers",
  takesAnyGenerateName: true,
  metadataPasses: { update: 2, whole: 3 },
  generation: specOf,
  newStatus: { replicas: 0 },
  defaults: {
    "io.k8s.api.core.v1.ReplicationController": defaultReplicationController,
  },
  validate: validateReplicationController,
  validateStatus: replicaSetStatus,
  podTemplate: ["spec", "template"],
  cells: {
    ...replicaSetCells,
    Selector: (object) => printLabels(objectAt(object, "spec", "selector")),
  },
  selectors: { "status.replicas": fieldAt("status.replicas", "0") },
  deletion: {
    dependents: "orphaned",
  },
  simulation: { make: replicationControllers },
};

function defaultReplicationController(fields: JsonObject): void {
  inheritLabels(fields);
  const labels = objectAt(fields, "spec", "template", "metadata", "labels");
  const spec = objectAt(fields, "spec");
  const isUnset = !isObject(spec?.selector) || Object.keys(spec.selector).length === 0;
  if (labels && spec && isUnset) fields.spec = { ...spec, selector: labels };
}

function validateReplicationController(report: Report, object: KubeObject): void {
  validateNotNegative(report, object, ["spec.replicas", "spec.minReadySeconds"]);
  const selector = objectAt(object, "spec", "selector");
  const template = objectAt(object, "spec", "template");
  if (!selector || Object.keys(selector).length === 0) report.required("spec.selector");
  if (!isObject(template)) {
    report.required("spec.template");
    return;
  }
  const labels = objectAt(object, "spec", "template", "metadata", "labels");
  if (selector && !selectsLabels({ matchLabels: selector }, labels ?? {}))
    report.invalid(
      "spec.template.metadata.labels",
      labels ?? null,
      "`selector` does not match template `labels`",
    );
  validateTemplate(report, template, { field: "spec.template", restart: ["Always"] });
  refuseDeadline(report, object, "ReplicationController");
}
