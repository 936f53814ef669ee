import { randomUUID } from "node:crypto";
import {
  type CryptoKey,
  decodeJwt,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  jwtVerify,
  SignJWT,
  UnsecuredJWT,
} from "jose";
import type { OidcUser } from "./oidc-provider.ts";

export interface TokenRequest {
  issuer: string;
  audience: string;
  user: OidcUser;
  scopes: readonly string[];
  nonce?: string | undefined;
}

/** How ID tokens are made wrongly from now on. */
export interface ForgedTokens {
  /** In place of the right claims; undefined leaves one out. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** `public`: HS256 with the text of the public key, which everybody has. `other`: by a key that is not published. */
  readonly signature?: "none" | "public" | "other";
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
  #forged: ForgedTokens = {};
  #other: Keys | undefined;

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

  forge(forged: ForgedTokens): void {
    this.#forged = forged;
  }

  published(): { keys: JWK[] } {
    return { keys: [this.#keys.published] };
  }

  async idToken(request: TokenRequest): Promise<string> {
    const claims = claimsOf(request.user, request.scopes);
    const token = await this.#sign(
      { ...claims, ...(request.nonce && { nonce: request.nonce }) },
      request,
      request.audience,
    );
    const { claims: changed, signature } = this.#forged;
    return changed || signature ? this.#forge({ ...decodeJwt(token), ...changed }, signature) : token;
  }

  async #forge(claims: JWTPayload, signature: ForgedTokens["signature"]): Promise<string> {
    const { privateKey, published } = this.#keys;
    if (signature === "none") return new UnsecuredJWT(claims).encode();
    const header = { alg: signature === "public" ? "HS256" : "RS256", kid: `${published.kid}` };
    this.#other ??= await makeKeys();
    const key =
      signature === "public"
        ? new TextEncoder().encode(await exportSPKI(this.#keys.publicKey))
        : signature === "other"
          ? this.#other.privateKey
          : privateKey;
    return new SignJWT(claims).setProtectedHeader(header).sign(key);
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
