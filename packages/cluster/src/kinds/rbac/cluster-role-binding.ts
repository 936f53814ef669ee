import { pathSegmentName } from "../../schema/validation/names.ts";
import type { Kind } from "../kind.ts";
import { roleBindingCells, validateRoleBinding } from "./role-rules.ts";

export const clusterRoleBinding: Kind = {
  group: "rbac.authorization.k8s.io",
  resource: "clusterrolebindings",
  nameSyntax: pathSegmentName,
  createOnUpdate: true,
  validate: validateRoleBinding,
  cells: roleBindingCells,
};
