import { priorityClassCells } from "../../schema/tables/cluster.ts";
import { validatePriorityClass } from "../../schema/validation/rarer.ts";
import type { Kind } from "../kind.ts";

export const priorityClass: Kind = {
  group: "scheduling.k8s.io",
  resource: "priorityclasses",
  metadataPasses: { update: 2, whole: 3 },
  generation: () => undefined,
  validate: validatePriorityClass,
  cells: priorityClassCells,
};
