import type { Kind } from "../kind.ts";

export const selfSubjectReview: Kind = {
  group: "authentication.k8s.io",
  resource: "selfsubjectreviews",
};
