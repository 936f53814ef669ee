import { specOf } from "../../registry/kind-rules.ts";
import { defaultLimitedLevel } from "../../schema/defaulting/cluster.ts";
import { priorityLevelCells } from "../../schema/tables/cluster.ts";
import { validateConditionTypes } from "../../schema/validation/conditions.ts";
import { validatePriorityLevel } from "../../schema/validation/rarer.ts";
import type { Kind } from "../kind.ts";

export const priorityLevelConfiguration: Kind = {
  group: "flowcontrol.apiserver.k8s.io",
  resource: "prioritylevelconfigurations",
  metadataPasses: { update: 1, whole: 3 },
  generation: specOf,
  keptByStatus: "metadata",
  defaults: {
    "io.k8s.api.flowcontrol.v1.LimitedPriorityLevelConfiguration": defaultLimitedLevel,
  },
  validate: validatePriorityLevel,
  validateStatus: validateConditionTypes,
  cells: priorityLevelCells,
};
