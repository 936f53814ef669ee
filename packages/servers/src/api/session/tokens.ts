import { createHmac, randomUUID } from "node:crypto";
import type { Clock } from "@capstan/flow";
import type { Settings } from "@capstan/kube";
import { CapstanError } from "@capstan/model";
import type { JWTPayload } from "jose";
import type { Identity } from "../../call.ts";
import { ownIssuer } from "../access/own-issuer.ts";
import type { AccountToken } from "./accounts.ts";
import { checkSubject, type SubjectNeeds, unauthenticated } from "./check-subject.ts";
import { checkPage, pageDigest, type ShownPage } from "./page-digest.ts";
import { projectRoleOf } from "./project-role.ts";
import { revocable } from "./revocable.ts";
import type { Revocations } from "./revocations.ts";
import { signingSecret } from "./signing-secret.ts";

/** Tokens as Argo CD makes and takes them (util/session/sessionmanager.go): HS256 with argocd-secret's server.secretkey. */
export interface Tokens {
  issue(subject: string, grant: Grant): Promise<IssuedToken>;
  /** `page`: the secret of the page that asks. Throws UNAUTHENTICATED. */
  verify(token: string, page?: ShownPage): Promise<Identity>;
  /** Until it would have ended anyway, restarts included. */
  revoke(identity: Identity): Promise<void>;
}

/** With what lists of tokens say of it. */
export interface IssuedToken extends AccountToken {
  readonly token: string;
}

export interface Grant {
  /** undefined: it does not end by itself. */
  readonly expiresInMs: number | undefined;
  /** undefined: a random one. */
  readonly id?: string;
  /** Hash of the password that was given: with another one the token counts no more. */
  readonly passwordHash?: string;
  /**
   * Secret of the page that logs in: the token counts together with it alone. Browsers send a cookie to every port of
   * a host, so that whatever listens on another port of the loopback sees the token.
   */
  readonly page?: string | undefined;
}

/** Many small files, which nobody needs before the first login. */
const loadJose = () => import("jose");

/** Names of Capstan's own claims. */
const pageClaim = "capstan.dev/page";
const passwordClaim = "capstan.dev/password";

interface Needs extends Omit<SubjectNeeds, "settings"> {
  settings: { readonly current: Settings };
  clock: Clock;
  revocations: Revocations;
}

/** Sessions with less than this left are renewed (util/session autoRegenerateTokenDuration). */
const renewBeforeMs = 300_000;

export function createTokens({ settings, clock, revocations, findProject }: Needs): Tokens {
  const sign = async (subject: string, { id, expiresInMs, own }: Claims): Promise<IssuedToken> => {
    const { SignJWT } = await loadJose();
    const iat = Math.floor(clock.now() / 1000);
    const jwt = new SignJWT(own)
      .setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .setIssuer(ownIssuer)
      .setSubject(subject)
      .setJti(id)
      .setIssuedAt(iat)
      .setNotBefore(iat);
    const exp = expiresInMs === undefined ? undefined : iat + Math.floor(expiresInMs / 1000);
    if (exp !== undefined) jwt.setExpirationTime(exp);
    const token = await jwt.sign(signingKey(settings.current));
    return { token, id, iat, ...(exp === undefined ? {} : { exp }) };
  };
  /** With the same claims and for as long, as Argo CD does it for logins alone. */
  const renew = async ({ iat = 0, exp, sub = "", ...claims }: JWTPayload): Promise<string | undefined> => {
    if (exp === undefined || !isRenewed({ sub })) return undefined;
    if (exp * 1000 - clock.now() >= renewBeforeMs) return undefined;
    const own = Object.fromEntries(
      Object.entries(claims).filter(([name]) => name === pageClaim || name === passwordClaim),
    );
    return (await sign(sub, { id: randomUUID(), expiresInMs: (exp - iat) * 1000, own })).token;
  };
  return {
    issue(subject, { expiresInMs, id = randomUUID(), passwordHash, page }) {
      const own = {
        ...(page === undefined ? {} : { [pageClaim]: pageDigest(page) }),
        ...(passwordHash === undefined
          ? {}
          : { [passwordClaim]: passwordMark(passwordHash, settings.current) }),
      };
      return sign(subject, { id, expiresInMs, own });
    },
    async verify(token, page) {
      const payload = await readPayload(token, settings.current, clock.now());
      checkPage(payload[pageClaim], page);
      const { identity, account } = checkSubject(payload, { settings: settings.current, findProject });
      // Tokens of a role count while their project lists them, and are taken back there.
      if (account === undefined) return identity;
      const mark = payload[passwordClaim];
      if (mark !== undefined && mark !== passwordMark(account.passwordHash ?? "", settings.current))
        throw unauthenticated("the password was changed after the token was made: log in again");
      const own = revocable(identity);
      if (own && (await revocations.isRevoked(own))) throw unauthenticated("the token was revoked");
      const renewal = await renew(payload);
      const known = isRenewed(payload) ? identity : { ...identity, endsAt: identity.expiresAt };
      return renewal === undefined ? known : { ...known, renewal };
    },
    async revoke(identity) {
      const isRole = identity.issuer === ownIssuer && projectRoleOf(identity.name) !== undefined;
      const token = isRole ? undefined : revocable(identity);
      if (token) await revocations.revoke(token);
    },
  };
}

const isRenewed = ({ sub = "" }: Pick<JWTPayload, "sub">): boolean => sub.endsWith(":login");

interface Claims {
  readonly id: string;
  readonly expiresInMs: number | undefined;
  readonly own: JWTPayload;
}

/** Seconds, as requests give them; none and 0 are no end. Throws INVALID_ARGUMENT. */
export function lifeOf(expiresIn: number | undefined): number | undefined {
  if (expiresIn === undefined || expiresIn === 0) return undefined;
  if (expiresIn < 0 || expiresIn > longestSeconds)
    throw new CapstanError({
      code: "INVALID_ARGUMENT",
      field: "expiresIn",
      problem: `is not a number of seconds from 0 (no end) to ${longestSeconds}`,
    });
  return expiresIn * 1000;
}

/** A thousand years: what is beyond is no date. */
const longestSeconds = 1000 * 366 * 24 * 3600;

function signingKey(settings: Settings): Uint8Array {
  return Buffer.from(signingSecret(settings), "utf8");
}

/** Tells two hashes of passwords apart, and nothing of either to whoever has the token. */
function passwordMark(hash: string, settings: Settings): string {
  return createHmac("sha256", signingKey(settings)).update(`password ${hash}`).digest("base64url");
}

async function readPayload(token: string, settings: Settings, nowMs: number): Promise<JWTPayload> {
  const key = signingKey(settings);
  const { jwtVerify } = await loadJose();
  const verified = await jwtVerify(token, key, {
    issuer: ownIssuer,
    algorithms: ["HS256"],
    currentDate: new Date(nowMs),
  }).catch((error: unknown) => {
    throw unauthenticated("the token is not valid, or no longer: log in again", error);
  });
  return verified.payload;
}
