import { validateRole } from "../../schema/validation/access.ts";
import { pathSegmentName } from "../../schema/validation/names.ts";
import type { Kind } from "../kind.ts";

export const role: Kind = {
  group: "rbac.authorization.k8s.io",
  resource: "roles",
  nameSyntax: pathSegmentName,
  createOnUpdate: true,
  validate: validateRole,
};
