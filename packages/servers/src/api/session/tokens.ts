import { createHash, createHmac, randomUUID } from "node:crypto";
import type { Clock } from "@capstan/flow";
import type { Settings } from "@capstan/kube";
import { CapstanError } from "@capstan/model";
import { type JWTPayload, jwtVerify, SignJWT } from "jose";
import type { Identity } from "../../call.ts";
import { accountsOf, type Capability } from "./accounts.ts";
import type { RevocableToken, Revocations } from "./revocations.ts";

const issuer = "argocd";

/** Tokens as Argo CD makes and takes them (util/session/sessionmanager.go): HS256 with argocd-secret's server.secretkey. */
export interface Tokens {
  issue(subject: string, grant: Grant): Promise<string>;
  /** `page`: the secret of the page that asks. Throws UNAUTHENTICATED. */
  verify(token: string, page?: string): Promise<Identity>;
  /** Until it would have ended anyway, restarts included. */
  revoke(identity: Identity): Promise<void>;
}

export interface Grant {
  /** undefined: it does not end by itself. */
  readonly expiresInMs: number | undefined;
  /** Hash of the password that was given: with another one the token counts no more. */
  readonly passwordHash?: string;
  /**
   * Secret of the page that logs in: the token counts together with it alone. Browsers send a cookie to every port of
   * a host, so that whatever listens on another port of the loopback sees the token.
   */
  readonly page?: string | undefined;
}

/** Names of Capstan's own claims. */
const pageClaim = "capstan.dev/page";
const passwordClaim = "capstan.dev/password";

interface Needs {
  settings: { readonly current: Settings };
  clock: Clock;
  revocations: Revocations;
}

export function createTokens({ settings, clock, revocations }: Needs): Tokens {
  const nowSeconds = () => Math.floor(clock.now() / 1000);
  return {
    async issue(subject, { expiresInMs, passwordHash, page }) {
      const now = nowSeconds();
      const own = {
        ...(page === undefined ? {} : { [pageClaim]: digestOf(page) }),
        ...(passwordHash === undefined
          ? {}
          : { [passwordClaim]: passwordMark(passwordHash, settings.current) }),
      };
      const token = new SignJWT(own)
        .setProtectedHeader({ alg: "HS256", typ: "JWT" })
        .setIssuer(issuer)
        .setSubject(subject)
        .setJti(randomUUID())
        .setIssuedAt(now)
        .setNotBefore(now);
      if (expiresInMs !== undefined) token.setExpirationTime(now + Math.floor(expiresInMs / 1000));
      return token.sign(signingKey(settings.current));
    },
    async verify(token, page) {
      const payload = await readPayload(token, settings.current, clock.now());
      const boundTo = payload[pageClaim];
      if (boundTo !== undefined && (page === undefined || boundTo !== digestOf(page)))
        throw unauthenticated("the session is that of a page, and this is another one: log in again");
      const identity = checkSubject(payload, settings.current);
      const own = revocable(identity);
      if (own === undefined) throw unauthenticated("the token has no id");
      if (await revocations.isRevoked(own)) throw unauthenticated("the token was revoked");
      return identity;
    },
    async revoke(identity) {
      const token = revocable(identity);
      if (token) await revocations.revoke(token);
    },
  };
}

function revocable({ tokenId, name, issuedAt = 0, expiresAt }: Identity): RevocableToken | undefined {
  if (tokenId === undefined) return undefined;
  const endsAtMs = expiresAt === undefined ? undefined : expiresAt * 1000;
  return { id: tokenId, account: name, issuedAtMs: issuedAt * 1000, endsAtMs };
}

function signingKey({ secret }: Settings): Uint8Array {
  const key = secret["server.secretkey"];
  if (!key)
    throw new CapstanError({
      code: "UNAVAILABLE",
      what: "login",
      problem: "Secret argocd-secret has no server.secretkey yet",
    });
  return Buffer.from(key, "utf8");
}

function digestOf(page: string): string {
  return createHash("sha256").update(page).digest("base64url");
}

/** Tells two hashes of passwords apart, and nothing of either to whoever has the token. */
function passwordMark(hash: string, settings: Settings): string {
  return createHmac("sha256", signingKey(settings)).update(`password ${hash}`).digest("base64url");
}

async function readPayload(token: string, settings: Settings, nowMs: number): Promise<JWTPayload> {
  const key = signingKey(settings);
  const verified = await jwtVerify(token, key, {
    issuer,
    algorithms: ["HS256"],
    currentDate: new Date(nowMs),
  }).catch((error: unknown) => {
    throw unauthenticated("the token is not valid, or no longer: log in again", error);
  });
  return verified.payload;
}

function readIdentity({ sub = "", jti, exp, iat = 0, groups }: JWTPayload): Identity {
  return {
    name: sub,
    groups: Array.isArray(groups) ? groups.filter((group) => typeof group === "string") : [],
    issuer,
    tokenId: jti,
    expiresAt: exp,
    issuedAt: iat,
  };
}

/** A token counts while its account is enabled, may log in this way, and has not changed its password since. */
function checkSubject(payload: JWTPayload, settings: Settings): Identity {
  const claims = readIdentity(payload);
  if (claims.name.startsWith("proj:")) throw unauthenticated("tokens of project roles are not supported yet");
  const [name = "", capability = "apiKey"] = claims.name.split(":");
  const account = accountsOf(settings).find((one) => one.name === name);
  if (!account) throw unauthenticated(`there is no account "${name}"`);
  if (!account.enabled) throw unauthenticated(`account "${name}" is disabled`);
  if (!account.capabilities.some((one: Capability) => one === capability))
    throw unauthenticated(`account "${name}" may not use ${capability} tokens`);
  if (capability === "apiKey" && !account.tokens.some(({ id }) => id === claims.tokenId))
    throw unauthenticated(`account "${name}" has no such token`);
  const changed = account.passwordChangedMs;
  const issuedAtMs = (claims.issuedAt ?? 0) * 1000;
  const mark = payload[passwordClaim];
  const isOther = mark !== undefined && mark !== passwordMark(account.passwordHash ?? "", settings);
  if (isOther) throw unauthenticated("the password was changed after the token was made: log in again");
  // Tokens of Argo CD's, which know seconds alone.
  if (changed !== undefined && issuedAtMs < Math.floor(changed / 1000) * 1000)
    throw unauthenticated("the password was changed after the token was made: log in again");
  return { ...claims, name };
}

export function unauthenticated(problem: string, cause?: unknown): CapstanError {
  return new CapstanError({ code: "UNAUTHENTICATED", problem }, cause);
}
