import {
  createPrivateKey,
  createPublicKey,
  createSign,
  createVerify,
  generateKeyPairSync,
  randomUUID,
  timingSafeEqual,
} from "node:crypto";
import { type Clock, isRecord, type KubeObject } from "../types.ts";
import { adminUser, type User } from "./user.ts";

const issuer = "https://kubernetes.default.svc";

export interface ServiceAccountToken {
  token: string;
  expires: number;
}

export interface TokenOptions {
  /** PEM of the key that signs service account tokens. */
  signingKey: string;
  adminToken: string;
  clock: Clock;
  /** The account that a token names must still exist with its uid. */
  findAccount(namespace: string, name: string): KubeObject | undefined;
}

export function newSigningKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/** Of ES256: two numbers of 32 bytes (RFC 7518, 3.4). */
const signatureBytes = 64;

/** Issues and recognises bearer tokens: the administrator's, and those of service accounts (TokenRequest, JWT ES256). */
export class TokenIssuer {
  readonly #options: TokenOptions;

  constructor(options: TokenOptions) {
    this.#options = options;
  }

  get audience(): string {
    return issuer;
  }

  issue(account: KubeObject, lifetimeSeconds: number, audiences: readonly string[]): ServiceAccountToken {
    const { namespace = "", name = "", uid = "" } = account.metadata;
    const now = Math.floor(this.#options.clock.now() / 1_000);
    const expires = now + lifetimeSeconds;
    const claims = {
      aud: audiences,
      exp: expires,
      iat: now,
      iss: issuer,
      jti: randomUUID(),
      "kubernetes.io": { namespace, serviceaccount: { name, uid } },
      nbf: now,
      sub: `system:serviceaccount:${namespace}:${name}`,
    };
    const head = `${encode({ alg: "ES256", typ: "JWT" })}.${encode(claims)}`;
    const key = createPrivateKey(this.#options.signingKey);
    const signature = createSign("sha256").update(head).sign({ key, dsaEncoding: "ieee-p1363" });
    return { token: `${head}.${signature.toString("base64url")}`, expires: expires * 1_000 };
  }

  /** Who holds this token; undefined for one that means nothing here. */
  authenticate(token: string): User | undefined {
    if (sameText(token, this.#options.adminToken)) return adminUser;
    const claims = this.#readClaims(token);
    if (claims === undefined) return undefined;
    const own = claims["kubernetes.io"];
    if (!isRecord(own) || !isRecord(own.serviceaccount)) return undefined;
    const { namespace } = own;
    const { name, uid } = own.serviceaccount;
    if (typeof namespace !== "string" || typeof name !== "string" || typeof uid !== "string")
      return undefined;
    if (this.#options.findAccount(namespace, name)?.metadata.uid !== uid) return undefined;
    return {
      username: `system:serviceaccount:${namespace}:${name}`,
      uid,
      groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
    };
  }

  #readClaims(token: string): Record<string, unknown> | undefined {
    const [header = "", payload = "", signed = "", ...rest] = token.split(".");
    const signature = Buffer.from(signed, "base64url");
    // verify() throws on any other length.
    if (signature.length !== signatureBytes || rest.length > 0) return undefined;
    const key = createPublicKey(this.#options.signingKey);
    const verify = createVerify("sha256").update(`${header}.${payload}`);
    if (!verify.verify({ key, dsaEncoding: "ieee-p1363" }, signature)) return undefined;
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString());
    if (!isRecord(claims) || typeof claims.exp !== "number") return undefined;
    if (claims.exp * 1_000 < this.#options.clock.now()) return undefined;
    return Array.isArray(claims.aud) && claims.aud.includes(issuer) ? claims : undefined;
  }
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function sameText(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
