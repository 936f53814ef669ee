/** Issuer of the tokens that Argo CD's server and Capstan's sign themselves (util/session SessionManagerClaimsIssuer). */
export const ownIssuer = "argocd";
