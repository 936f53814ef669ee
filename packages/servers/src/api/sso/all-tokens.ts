import { ownIssuer } from "../access/own-issuer.ts";
import { unauthenticated } from "../session/check-subject.ts";
import { revocable } from "../session/revocable.ts";
import type { Revocations } from "../session/revocations.ts";
import type { Tokens } from "../session/tokens.ts";
import { isSealed } from "./is-sealed.ts";
import type { Sso } from "./sso.ts";

interface Needs {
  /** Those that this server signs, or another with the same key. */
  readonly own: Tokens;
  readonly sso: Pick<Sso, "verify">;
  readonly revocations: Revocations;
}

/** Tokens of our own signature, and those of the identity provider. */
export function allTokens({ own, sso, revocations }: Needs): Tokens {
  return {
    ...own,
    async verify(token, page) {
      if (await isOwn(token)) return own.verify(token, page);
      const identity = await sso.verify(token, page);
      const known = revocable(identity);
      if (known && (await revocations.isRevoked(known))) throw unauthenticated("the token was revoked");
      return identity;
    },
  };
}

/** Not verified yet: it only says who has to. */
async function isOwn(token: string): Promise<boolean> {
  if (isSealed(token)) return false;
  const { decodeJwt } = await import("jose");
  try {
    return decodeJwt(token).iss === ownIssuer;
  } catch (error) {
    throw unauthenticated("the token is not valid, or no longer: log in again", error);
  }
}
