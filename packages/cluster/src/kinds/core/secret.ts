import { fieldsAt } from "../../registry/selectable-fields.ts";
import { defaultSecret } from "../../schema/defaulting/storage.ts";
import { secretCells } from "../../schema/tables/cluster.ts";
import { validateSecret } from "../../schema/validation/config.ts";
import type { Kind } from "../kind.ts";

export const secret: Kind = {
  group: "",
  resource: "secrets",
  defaults: {
    "io.k8s.api.core.v1.Secret": defaultSecret,
  },
  validate: validateSecret,
  cells: secretCells,
  selectors: fieldsAt("type"),
};
