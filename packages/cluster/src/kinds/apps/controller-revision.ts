import { controllerRevisionCells } from "../../schema/tables/workload.ts";
import { validateRevision } from "../../schema/validation/rarer.ts";
import type { Kind } from "../kind.ts";

export const controllerRevision: Kind = {
  group: "apps",
  resource: "controllerrevisions",
  validate: validateRevision,
  cells: controllerRevisionCells,
};
