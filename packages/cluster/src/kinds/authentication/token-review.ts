import type { Kind } from "../kind.ts";

export const tokenReview: Kind = {
  group: "authentication.k8s.io",
  resource: "tokenreviews",
};
