import { BoundedMap, type Clock } from "@capstan/flow";
import type { JWTPayload } from "jose";
import { unauthenticated } from "../session/check-subject.ts";
import type { Provider } from "./provider.ts";

interface Kept {
  readonly groups: unknown;
  readonly untilMs: number;
}

const maxUsers = 10_000;
/** A provider that does not answer must not end in a request of each request. */
const leastMs = 10_000;

/**
 * Groups by user info, for providers that leave them out of their tokens. They take the place of the claim; where they
 * cannot be had the session does not count (util/oidc SetGroupsFromUserInfo).
 */
export class UserGroups {
  readonly #kept = new BoundedMap<Kept>(maxUsers);
  readonly #asking = new Map<string, Promise<Kept>>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `accessToken`: of the session; programs with an ID token alone are known after a login by the page. */
  async complete(
    claims: JWTPayload,
    provider: Provider,
    accessToken: string | undefined,
  ): Promise<JWTPayload> {
    const { userInfo } = provider.settings;
    if (userInfo === undefined) return claims;
    const key = JSON.stringify([userInfo.url, claims.sub]);
    const kept = this.#kept.get(key);
    if (kept && kept.untilMs > this.#clock.now()) return { ...claims, groups: kept.groups };
    if (accessToken === undefined)
      throw unauthenticated("groups are read from user info, for which you have to log in by the page first");
    const asking = this.#asking.get(key) ?? this.#fetch(claims, provider, { key, accessToken });
    return { ...claims, groups: (await asking).groups };
  }

  #fetch(claims: JWTPayload, provider: Provider, of: { key: string; accessToken: string }): Promise<Kept> {
    const asking = this.#ask(claims, provider, of.accessToken).finally(() => this.#asking.delete(of.key));
    this.#asking.set(of.key, asking);
    return asking.then((kept) => {
      this.#kept.set(of.key, kept);
      return kept;
    });
  }

  async #ask(claims: JWTPayload, provider: Provider, accessToken: string): Promise<Kept> {
    const { url = "", keepMs } = provider.settings.userInfo ?? {};
    const info = await provider.userInfo(url, accessToken, AbortSignal.timeout(leastMs));
    if (info === undefined)
      throw unauthenticated("the identity provider gives no user info any more: log in again");
    if (info.sub !== claims.sub) throw unauthenticated("user info is that of another person: log in again");
    const ends = (info.exp ?? claims.exp ?? 0) * 1000;
    const now = this.#clock.now();
    const untilMs = Math.max(now + leastMs, Math.min(ends, now + (keepMs ?? Number.POSITIVE_INFINITY)));
    return { groups: info.groups, untilMs };
  }
}
