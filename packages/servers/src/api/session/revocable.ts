import type { Identity } from "../../call.ts";
import { ownIssuer } from "../access/own-issuer.ts";
import type { RevocableToken } from "./revocations.ts";

/** As revocations know the token that somebody came with. */
export function revocable({
  tokenId,
  name,
  issuer,
  issuedAt = 0,
  expiresAt,
}: Identity): RevocableToken | undefined {
  if (tokenId === undefined) return undefined;
  const endsAtMs = expiresAt === undefined ? undefined : expiresAt * 1000;
  const account = issuer === ownIssuer ? name : `${name} of ${issuer}`;
  return { id: tokenId, account, issuedAtMs: issuedAt * 1000, endsAtMs };
}
