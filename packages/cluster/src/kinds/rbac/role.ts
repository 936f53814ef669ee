import { pathSegmentName } from "../../schema/validation/names.ts";
import type { Kind } from "../kind.ts";
import { validateRole } from "./role-rules.ts";

export const role: Kind = {
  group: "rbac.authorization.k8s.io",
  resource: "roles",
  nameSyntax: pathSegmentName,
  createOnUpdate: true,
  validate: validateRole,
};
