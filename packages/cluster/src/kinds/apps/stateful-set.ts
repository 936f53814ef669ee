import { specOf } from "../../registry/kind-rules.ts";
import { rollingByDefault } from "../../schema/defaulting/workload.ts";
import { prepareStatefulSet } from "../../schema/prepare.ts";
import { statefulSetCells } from "../../schema/tables/workload.ts";
import { labelName } from "../../schema/validation/names.ts";
import { validateStatefulSet } from "../../schema/validation/stateful-set.ts";
import { statefulSetStatus } from "../../schema/validation/status.ts";
import { statefulSets } from "../../workloads/apps/stateful-set.ts";
import type { Kind } from "../kind.ts";

export const statefulSet: Kind = {
  group: "apps",
  resource: "statefulsets",
  nameSyntax: labelName,
  metadataPasses: { update: 2, whole: 3 },
  generation: specOf,
  newStatus: { replicas: 0, availableReplicas: 0 },
  defaults: {
    "io.k8s.api.apps.v1.StatefulSetUpdateStrategy": rollingByDefault,
  },
  prepare: prepareStatefulSet,
  validate: validateStatefulSet,
  validateStatus: statefulSetStatus,
  podTemplate: ["spec", "template"],
  cells: statefulSetCells,
  simulation: { make: statefulSets },
};
