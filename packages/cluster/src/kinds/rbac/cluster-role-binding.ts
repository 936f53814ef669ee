import { roleBindingCells } from "../../schema/tables/access.ts";
import { validateRoleBinding } from "../../schema/validation/access.ts";
import { pathSegmentName } from "../../schema/validation/names.ts";
import type { Kind } from "../kind.ts";

export const clusterRoleBinding: Kind = {
  group: "rbac.authorization.k8s.io",
  resource: "clusterrolebindings",
  nameSyntax: pathSegmentName,
  createOnUpdate: true,
  validate: validateRoleBinding,
  cells: roleBindingCells,
};
