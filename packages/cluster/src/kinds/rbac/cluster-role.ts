import { validateRole } from "../../schema/validation/access.ts";
import { pathSegmentName } from "../../schema/validation/names.ts";
import type { Kind } from "../kind.ts";

export const clusterRole: Kind = {
  group: "rbac.authorization.k8s.io",
  resource: "clusterroles",
  nameSyntax: pathSegmentName,
  createOnUpdate: true,
  validate: validateRole,
};
