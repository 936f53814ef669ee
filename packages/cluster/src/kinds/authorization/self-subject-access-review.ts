import type { Kind } from "../kind.ts";

export const selfSubjectAccessReview: Kind = {
  group: "authorization.k8s.io",
  resource: "selfsubjectaccessreviews",
};
