import { createHash } from "node:crypto";
import { BoundedMap, type Clock } from "@capstan/flow";
import type { OidcSettings } from "@capstan/kube";
import { isCapstanError } from "@capstan/model";
import type { JWTPayload } from "jose";
import { unauthenticated } from "../session/check-subject.ts";
import type { Provider, ProviderTokens } from "./provider.ts";
import { seal, unseal } from "./seal.ts";

/** What the cookie of somebody who came through a provider holds, sealed. */
export interface SsoSession extends ProviderTokens {
  /** Of the login: all that came of it by refreshes is taken back together. */
  readonly id: string;
  readonly beganAtMs: number;
  /** Digest of the page's secret: the session counts together with it alone. */
  readonly page: string | undefined;
}

/** However often it is refreshed: then the provider is asked who it is again. */
export const longestSessionMs = 30 * 24 * 3_600_000;

/** Tokens of a refresh serve the other requests that were sent with those of before. */
const refreshedMs = 60_000;
const maxRefreshed = 10_000;

interface Refreshed {
  readonly atMs: number;
  readonly tokens: Promise<ProviderTokens>;
}

export function sealSession(
  { idToken, accessToken, refreshToken, id, beganAtMs, page }: SsoSession,
  secretKey: string,
): Promise<string> {
  const short = { i: idToken, a: accessToken, r: refreshToken, s: id, b: beganAtMs, p: page };
  return seal("session", short, secretKey);
}

export async function openSession(text: string, secretKey: string): Promise<SsoSession> {
  const value = await unseal("session", text, secretKey);
  const part = (key: string): string | undefined => {
    const held = value?.[key];
    return typeof held === "string" ? held : undefined;
  };
  const [idToken, id, beganAtMs] = [part("i"), part("s"), value?.b];
  if (idToken === undefined || id === undefined || typeof beganAtMs !== "number")
    throw unauthenticated("the session is not valid: log in again");
  return { idToken, id, beganAtMs, accessToken: part("a"), refreshToken: part("r"), page: part("p") };
}

/** A cookie has to be small: what nobody will ask for is not kept. */
export function neededTokens(
  { idToken, accessToken, refreshToken }: ProviderTokens,
  { userInfo }: Pick<OidcSettings, "userInfo">,
): ProviderTokens {
  return { idToken, refreshToken, accessToken: userInfo === undefined ? undefined : accessToken };
}

/** Keeps sessions alive by their refresh tokens. */
export class SsoRefresh {
  readonly #done = new BoundedMap<Refreshed>(maxRefreshed);
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The claims of a session, and the session that takes its place where it was refreshed. */
  async current(
    session: SsoSession,
    provider: Provider,
  ): Promise<{ claims: JWTPayload; session: SsoSession; isNew: boolean }> {
    const claims = await provider.verify(session.idToken, {
      takesExpired: session.refreshToken !== undefined,
    });
    const leftMs = (claims.exp ?? 0) * 1000 - this.#clock.now();
    const isDue = leftMs <= (provider.settings.refreshMs ?? 0);
    if (session.refreshToken === undefined || !isDue) return { claims, session, isNew: false };
    try {
      const tokens = await this.#refresh(session.refreshToken, provider);
      const next = await provider.verify(tokens.idToken);
      if (next.sub !== claims.sub || next.iss !== claims.iss)
        throw unauthenticated("the identity provider refreshed the session as somebody else's: log in again");
      const refreshed = neededTokens(tokens, provider.settings);
      const kept = { ...session, ...refreshed, refreshToken: tokens.refreshToken ?? session.refreshToken };
      return { claims: next, session: kept, isNew: true };
    } catch (error) {
      if (leftMs <= 0 || !isCapstanError(error)) throw error;
      return { claims, session, isNew: false };
    }
  }

  #refresh(refreshToken: string, provider: Provider): Promise<ProviderTokens> {
    const key = createHash("sha256").update(refreshToken).digest("base64url");
    const now = this.#clock.now();
    const known = this.#done.get(key);
    if (known && now - known.atMs < refreshedMs) return known.tokens;
    const tokens = provider.refresh(refreshToken, AbortSignal.timeout(refreshedMs));
    this.#done.set(key, { atMs: now, tokens });
    tokens.catch(() => this.#done.delete(key));
    return tokens;
  }
}
