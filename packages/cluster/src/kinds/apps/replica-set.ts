import { specOf } from "../../registry/kind-rules.ts";
import { valueAt } from "../../schema/json.ts";
import { type Cells, containerCells, count, selector } from "../../schema/tables/cells.ts";
import {
  refuseDeadline,
  validateNotNegative,
  validateTemplate,
} from "../../schema/validation/pod-template.ts";
import { replicaSetStatus } from "../../schema/validation/replica-counts.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";
import { replicaSets } from "../../workloads/apps/replica-set.ts";
import type { Kind } from "../kind.ts";
import { validateSame, validateTemplateSelector } from "./workload-rules.ts";

export const replicaSetCells: Cells = {
  Desired: count("spec", "replicas"),
  Current: count("status", "replicas"),
  Ready: count("status", "readyReplicas"),
  ...containerCells("spec", "template"),
  Selector: selector("spec", "selector"),
};

export const replicaSet: Kind = {
  group: "apps",
  resource: "replicasets",
  metadataPasses: { update: 2, whole: 3 },
  generation: specOf,
  newStatus: { replicas: 0 },
  validate: validateReplicaSet,
  validateStatus: replicaSetStatus,
  podTemplate: ["spec", "template"],
  cells: replicaSetCells,
  simulation: { make: replicaSets },
};

function validateReplicaSet(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  validateNotNegative(report, object, ["spec.replicas", "spec.minReadySeconds"]);
  validateTemplateSelector(report, object, { kind: "replicaset", required: true });
  validateTemplate(report, valueAt(object, "spec", "template"), {
    field: "spec.template",
    restart: ["Always"],
  });
  refuseDeadline(report, object, "ReplicaSet");
  validateSame(report, { object, previous, field: "spec.selector" });
}
