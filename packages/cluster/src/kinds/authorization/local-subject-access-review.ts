import type { Kind } from "../kind.ts";

export const localSubjectAccessReview: Kind = {
  group: "authorization.k8s.io",
  resource: "localsubjectaccessreviews",
};
