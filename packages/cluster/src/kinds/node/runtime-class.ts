import { runtimeClassCells } from "../../schema/tables/cluster.ts";
import { validateRuntimeClass } from "../../schema/validation/rarer.ts";
import type { Kind } from "../kind.ts";

export const runtimeClass: Kind = {
  group: "node.k8s.io",
  resource: "runtimeclasses",
  isGenerallyValidated: true,
  createOnUpdate: true,
  versionedUpdates: true,
  validate: validateRuntimeClass,
  cells: runtimeClassCells,
};
