import {
  createHash,
  createPrivateKey,
  createPublicKey,
  createSign,
  createVerify,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  timingSafeEqual,
} from "node:crypto";
import type { Clock } from "@capstan/flow";
import { isRecord, type KubeObject } from "../types.ts";
import { type Bound, readClaims, type TokenClaims, writeClaims, writeSecretClaims } from "./token-claims.ts";
import { adminUser, type User } from "./user.ts";

export const issuer = "https://kubernetes.default.svc";

export interface ServiceAccountToken {
  token: string;
  expires: number;
}

export interface TokenOptions {
  /** PEM of the key that signs service account tokens. */
  signingKey: string;
  adminToken: string;
  clock: Clock;
  /** What a token names must still be there with its uid. `type` is the key of the store. */
  find(type: string, namespace: string, name: string): KubeObject | undefined;
}

export interface Grant {
  lifetimeSeconds: number;
  audiences: readonly string[];
  bound?: Bound;
}

export type Authenticated = { user: User; audiences: readonly string[] } | { error: string };

export function newSigningKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/** Of ES256: two numbers of 32 bytes (RFC 7518, 3.4). */
const signatureBytes = 64;

const invalidated = "service account token has been invalidated";

/** Issues and recognises bearer tokens: the administrator's, and those of service accounts (JWT ES256). */
export class TokenIssuer {
  readonly #options: TokenOptions;
  #publicKey: KeyObject | undefined;

  constructor(options: TokenOptions) {
    this.#options = options;
  }

  get audience(): string {
    return issuer;
  }

  /** A token that ends by itself, as TokenRequest gives. */
  issue(account: KubeObject, grant: Grant): ServiceAccountToken {
    const now = Math.floor(this.#options.clock.now() / 1_000);
    const expires = now + grant.lifetimeSeconds;
    const times = { iat: now, nbf: now, exp: expires, jti: randomUUID(), iss: issuer };
    return { token: this.#sign(writeClaims(account, grant, times)), expires: expires * 1_000 };
  }

  /** The token of a Secret of type kubernetes.io/service-account-token: it lives as long as the Secret. */
  issueForSecret(account: KubeObject, secret: KubeObject): string {
    return this.#sign(writeSecretClaims(account, secret));
  }

  /** Who holds this token; an error for one that means nothing here. */
  authenticate(token: string, audiences: readonly string[] = [issuer]): Authenticated {
    if (sameText(token, this.#options.adminToken)) return { user: adminUser, audiences: [issuer] };
    const claims = this.#verified(token);
    if (claims === undefined) return { error: "invalid bearer token" };
    const problem = this.#problem(claims, audiences);
    if (problem !== undefined) return { error: `[invalid bearer token, ${problem}]` };
    return { user: claims.user, audiences: claims.audiences.filter((name) => audiences.includes(name)) };
  }

  /** RFC 7517 */
  keys(): Record<string, unknown> {
    const jwk = this.#key().export({ format: "jwk" });
    return {
      keys: [
        { use: "sig", kty: jwk.kty, kid: this.#keyId(), crv: jwk.crv, alg: "ES256", x: jwk.x, y: jwk.y },
      ],
    };
  }

  #problem(claims: TokenClaims, audiences: readonly string[]): string | undefined {
    const { find, clock } = this.#options;
    if (claims.expires !== undefined && claims.expires * 1_000 < clock.now())
      return "service account token has expired";
    if (!claims.audiences.some((name) => audiences.includes(name)))
      return `token audiences ${goTexts(claims.audiences)} is invalid for the target audiences ${goTexts(audiences)}`;
    const { namespace, name, uid } = claims.account;
    const account = find("/serviceaccounts", namespace, name);
    if (account === undefined) return `serviceaccounts ${JSON.stringify(name)} not found`;
    if (account.metadata.uid !== uid)
      return `service account UID (${account.metadata.uid}) does not match claim (${uid})`;
    const { bound } = claims;
    if (bound === undefined) return undefined;
    const there = find(bound.type, bound.type === "/nodes" ? "" : namespace, bound.name);
    const sameUid = bound.uid === undefined || there?.metadata.uid === bound.uid;
    return there !== undefined && sameUid && (claims.inSecret?.(there) ?? true) ? undefined : invalidated;
  }

  #sign(claims: Record<string, unknown>): string {
    const head = `${encode({ alg: "ES256", kid: this.#keyId() })}.${encode(claims)}`;
    const key = createPrivateKey(this.#options.signingKey);
    const signature = createSign("sha256").update(head).sign({ key, dsaEncoding: "ieee-p1363" });
    return `${head}.${signature.toString("base64url")}`;
  }

  #verified(token: string): TokenClaims | undefined {
    const [header = "", payload = "", signed = "", ...rest] = token.split(".");
    const signature = Buffer.from(signed, "base64url");
    // verify() throws on any other length.
    if (signature.length !== signatureBytes || rest.length > 0) return undefined;
    const verify = createVerify("sha256").update(`${header}.${payload}`);
    if (!verify.verify({ key: this.#key(), dsaEncoding: "ieee-p1363" }, signature)) return undefined;
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString());
    return isRecord(claims) ? readClaims(claims, token) : undefined;
  }

  #key(): KeyObject {
    this.#publicKey ??= createPublicKey(this.#options.signingKey);
    return this.#publicKey;
  }

  #keyId(): string {
    const der = this.#key().export({ type: "spki", format: "der" });
    return createHash("sha256").update(der).digest("base64url");
  }
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function sameText(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function goTexts(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(" ")}]`;
}
