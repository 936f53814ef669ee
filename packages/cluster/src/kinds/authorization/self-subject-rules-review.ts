import type { Kind } from "../kind.ts";

export const selfSubjectRulesReview: Kind = {
  group: "authorization.k8s.io",
  resource: "selfsubjectrulesreviews",
};
