import { componentStatusCells } from "../../schema/tables/cluster.ts";
import type { Kind } from "../kind.ts";

export const componentStatus: Kind = {
  group: "",
  resource: "componentstatuses",
  deprecation: "v1 ComponentStatus is deprecated in v1.19+",
  cells: componentStatusCells,
};
