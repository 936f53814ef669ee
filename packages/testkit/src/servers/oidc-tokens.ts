import { randomUUID } from "node:crypto";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, jwtVerify, SignJWT } from "jose";
import type { OidcUser } from "./oidc-provider.ts";

export interface TokenRequest {
  issuer: string;
  audience: string;
  user: OidcUser;
  scopes: readonly string[];
  nonce?: string | undefined;
}

interface Keys {
  privateKey: CryptoKey;
  publicKey: CryptoKey;
  published: JWK;
}

/** Signs and reads the tokens of one provider. */
export class OidcTokens {
  readonly lifeSeconds: number;
  #keys: Keys;

  private constructor(keys: Keys, lifeSeconds: number) {
    this.#keys = keys;
    this.lifeSeconds = lifeSeconds;
  }

  static async create(lifeSeconds: number): Promise<OidcTokens> {
    return new OidcTokens(await makeKeys(), lifeSeconds);
  }

  async rotate(): Promise<void> {
    this.#keys = await makeKeys();
  }

  published(): { keys: JWK[] } {
    return { keys: [this.#keys.published] };
  }

  idToken(request: TokenRequest): Promise<string> {
    const claims = claimsOf(request.user, request.scopes);
    return this.#sign(
      { ...claims, ...(request.nonce && { nonce: request.nonce }) },
      request,
      request.audience,
    );
  }

  /** For this provider itself: what userinfo tells is in it. */
  accessToken(request: TokenRequest): Promise<string> {
    return this.#sign(
      { ...claimsOf(request.user, request.scopes), scope: request.scopes.join(" ") },
      request,
      request.issuer,
    );
  }

  async readAccessToken(token: string, issuer: string): Promise<Record<string, unknown>> {
    const { payload } = await jwtVerify(token, this.#keys.publicKey, { issuer, audience: issuer });
    const { iss, aud, exp, iat, jti, scope, ...claims } = payload;
    return claims;
  }

  #sign(claims: Record<string, unknown>, { issuer, user }: TokenRequest, audience: string): Promise<string> {
    const { privateKey, published } = this.#keys;
    return new SignJWT(claims)
      .setProtectedHeader({ alg: "RS256", typ: "JWT", kid: `${published.kid}` })
      .setIssuer(issuer)
      .setSubject(user.sub)
      .setAudience(audience)
      .setIssuedAt()
      .setJti(randomUUID())
      .setExpirationTime(`${this.lifeSeconds}s`)
      .sign(privateKey);
  }
}

async function makeKeys(): Promise<Keys> {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
  const published = { ...(await exportJWK(publicKey)), kid: randomUUID(), use: "sig", alg: "RS256" };
  return { privateKey, publicKey, published };
}

/** A claim is told when its scope was asked for (OpenID Connect Core 1.0, section 5.4). */
function claimsOf({ email, name, groups }: OidcUser, scopes: readonly string[]): Record<string, unknown> {
  return {
    ...(scopes.includes("email") && email !== undefined && { email, email_verified: true }),
    ...(scopes.includes("profile") && name !== undefined && { name }),
    ...(scopes.includes("groups") && groups !== undefined && { groups }),
  };
}
