import type { Kind } from "../kind.ts";

export const subjectAccessReview: Kind = {
  group: "authorization.k8s.io",
  resource: "subjectaccessreviews",
};
