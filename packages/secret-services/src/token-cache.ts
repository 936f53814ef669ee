import { createHash } from "node:crypto";
import { BoundedMap, type Clock } from "@capstan/flow";

export interface Token {
  token: string;
  /** Milliseconds since 1970 after which it is not used any more. */
  until: number;
  isRenewable: boolean;
}

export interface TokenWays {
  login(): Promise<Token>;
  /** The same token for longer, where a store knows that. */
  renew?(token: string): Promise<Token>;
}

const maxTokens = 1000;
/** A token that ends within this is not worth using, nor in the last quarter of a shorter life. */
const marginMs = 10_000;
const defaultSeconds = 300;
const maxSeconds = 600;

/** Tokens of stores by whose they are: store, address, way in and credential. In memory alone. */
export class TokenCache {
  readonly #tokens = new BoundedMap<Promise<Token>>(maxTokens);
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async get(identity: readonly string[], ways: TokenWays): Promise<Token> {
    const key = keyOf(identity);
    for (;;) {
      const known = this.#tokens.get(key);
      // Another render's login may have failed because that render was given up.
      const token = await known?.catch(() => undefined);
      if (token && this.#isFresh(token)) return token;
      if (this.#tokens.get(key) !== known) continue;
      return this.#start(key, token?.isRenewable ? this.#renewed(token, ways) : ways.login());
    }
  }

  /** After a 403: the token may have been revoked. One that another request got since then stays. */
  async forget(identity: readonly string[], token: string): Promise<void> {
    const key = keyOf(identity);
    const known = this.#tokens.get(key);
    const current = await known?.catch(() => undefined);
    if (current?.token === token && this.#tokens.get(key) === known) this.#tokens.delete(key);
  }

  #start(key: string, fresh: Promise<Token>): Promise<Token> {
    const kept = fresh.catch((error: unknown) => {
      if (this.#tokens.get(key) === kept) this.#tokens.delete(key);
      throw error;
    });
    this.#tokens.set(key, kept);
    return kept;
  }

  /** What has come to the end of its longest life, or is gone, is got anew. */
  async #renewed({ token }: Token, ways: TokenWays): Promise<Token> {
    const renewed = await ways.renew?.(token).catch(() => undefined);
    return renewed && this.#isFresh(renewed) ? renewed : ways.login();
  }

  #isFresh({ until }: Token): boolean {
    return until > this.#clock.now();
  }
}

/** Until when a token is used that lives so long. */
export function usedUntil(lifeMs: number, clock: Pick<Clock, "now">): number {
  return clock.now() + lifeMs - Math.min(marginMs, lifeMs / 4);
}

/** A token that ends some seconds from now, as stores tell with it; got anew before one that was revoked hurts long. */
export function shortToken(token: string, seconds: unknown, clock: Clock): Token {
  const given = Number(seconds ?? defaultSeconds);
  const lifeMs = (given > 0 ? Math.min(given, maxSeconds) : 0) * 1000;
  return { token, until: usedUntil(lifeMs, clock), isRenewable: false };
}

function keyOf(identity: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(identity)).digest("hex");
}
