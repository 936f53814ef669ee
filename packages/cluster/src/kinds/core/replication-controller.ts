import { specOf } from "../../registry/kind-rules.ts";
import { fieldAt } from "../../registry/selectable-fields.ts";
import { defaultReplicationController } from "../../schema/defaulting/workload.ts";
import { replicationControllerCells } from "../../schema/tables/workload.ts";
import { replicaSetStatus } from "../../schema/validation/status.ts";
import { validateReplicationController } from "../../schema/validation/workload.ts";
import { replicationControllers } from "../../workloads/apps/replica-set.ts";
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
  cells: replicationControllerCells,
  selectors: { "status.replicas": fieldAt("status.replicas", "0") },
  deletion: {
    dependents: "orphaned",
  },
  simulation: { make: replicationControllers },
};
