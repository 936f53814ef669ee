import { specOf } from "../../registry/kind-rules.ts";
import { replicaSetCells } from "../../schema/tables/workload.ts";
import { replicaSetStatus } from "../../schema/validation/status.ts";
import { validateReplicaSet } from "../../schema/validation/workload.ts";
import { replicaSets } from "../../workloads/apps/replica-set.ts";
import type { Kind } from "../kind.ts";

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
