import { defaultSubject } from "../../schema/defaulting/cluster.ts";
import { roleBindingCells } from "../../schema/tables/access.ts";
import { validateRoleBinding } from "../../schema/validation/access.ts";
import { pathSegmentName } from "../../schema/validation/names.ts";
import type { Kind } from "../kind.ts";

export const roleBinding: Kind = {
  group: "rbac.authorization.k8s.io",
  resource: "rolebindings",
  nameSyntax: pathSegmentName,
  createOnUpdate: true,
  defaults: {
    "io.k8s.api.rbac.v1.Subject": defaultSubject,
  },
  validate: validateRoleBinding,
  cells: roleBindingCells,
};
