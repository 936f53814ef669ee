import { createHash } from "node:crypto";
import { isRecord } from "@capstan/formats";
import type { Settings } from "@capstan/kube";
import type { JWTPayload } from "jose";
import type { Identity } from "../../call.ts";
import { unauthenticated } from "../session/check-subject.ts";

/** Whom a provider's claims stand for (util/jwt GetUserIdentifier, util/session Username). Throws UNAUTHENTICATED. */
export function identityOfClaims(claims: JWTPayload, rbac: Settings["rbac"]): Identity {
  const name = userId(claims);
  if (name === "") throw unauthenticated("the identity provider's token names nobody");
  const { email } = claims;
  return {
    name,
    ...(typeof email === "string" && email !== "" ? { username: email } : {}),
    groups: groupsOf(claims, rbac),
    issuer: claims.iss ?? "",
    issuedAt: claims.iat,
    expiresAt: claims.exp,
  };
}

function userId({ sub = "", federated_claims: federated }: JWTPayload): string {
  const id = isRecord(federated) ? federated.user_id : undefined;
  return typeof id === "string" && id !== "" ? id : sub;
}

const maxGroups = 5_000;

/** A claim that is one text is one group (util/jwt GetScopeValues). */
function groupsOf(claims: JWTPayload, { scopes }: Settings["rbac"]): string[] {
  const found = scopes.flatMap((scope) => {
    // An address that nobody has shown to be theirs.
    if (scope === "email" && claims.email_verified === false) return [];
    const value = claims[scope];
    return typeof value === "string" ? [value] : Array.isArray(value) ? value : [];
  });
  return found.filter((one) => typeof one === "string" && one !== "").slice(0, maxGroups);
}

/** By what a token can be taken back: its id, as providers call it, else itself. */
export function tokenIdOf(claims: JWTPayload, token: string): string {
  for (const id of [claims.jti, claims.uti, claims.at_hash])
    if (typeof id === "string" && id !== "") return id;
  return createHash("sha256").update(token).digest("base64url");
}
