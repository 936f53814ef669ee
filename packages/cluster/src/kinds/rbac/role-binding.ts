import type { JsonObject } from "../../schema/json.ts";
import { pathSegmentName } from "../../schema/validation/names.ts";
import type { Kind } from "../kind.ts";
import { roleBindingCells, validateRoleBinding } from "./role-rules.ts";

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

function defaultSubject(fields: JsonObject): void {
  if (fields.kind === "User" || fields.kind === "Group") fields.apiGroup ??= "rbac.authorization.k8s.io";
}
