import { configMapCells } from "../../schema/tables/cluster.ts";
import { validateConfigMap } from "../../schema/validation/config.ts";
import type { Kind } from "../kind.ts";

export const configMap: Kind = {
  group: "",
  resource: "configmaps",
  validate: validateConfigMap,
  cells: configMapCells,
};
