import { isIPv6 } from "node:net";
import { BoundedMap, type Clock } from "@capstan/flow";

const windowMs = 300_000;
const maxEntries = 10_000;

/** Failures within the window after which a try is refused unseen, by what they have in common. */
const limits = {
  /** One caller at one account, as Argo CD has it for the account alone (util/session, loginattempts). */
  pair: 5,
  /** One caller at whatever accounts. */
  address: 100,
  /** All callers at one account: those who logged in to it before still may. */
  account: 200,
};

/** Entries that a restart finds again. */
const maxKept = 1000;

export interface ThrottleEntry {
  readonly key: string;
  readonly count: number;
  readonly lastMs: number;
}

export interface LoginTry {
  readonly account: string;
  /** Of the network. */
  readonly address: string;
  /** Id of a valid token of this account, sent along. */
  readonly tokenId?: string | undefined;
}

/**
 * Counts failed logins. Whoever guesses is refused for five minutes, and nobody else: the owner comes in from another
 * address, with a session that is still valid, or from an address that was right before. Tries while refused do not
 * make it longer. Memory is bounded; what failed longest ago is forgotten first.
 */
export class LoginThrottle {
  readonly #failures = new BoundedMap<{ count: number; lastMs: number }>(maxEntries);
  readonly #known = new BoundedMap<true>(maxEntries);
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isBlocked(attempt: LoginTry): boolean {
    const { pair, address, account } = keysOf(attempt);
    if (this.#count(pair) >= limits.pair) return true;
    if (attempt.tokenId !== undefined || this.#known.has(pair)) return false;
    return this.#count(address) >= limits.address || this.#count(account) >= limits.account;
  }

  /** Whether something is blocked by it that was not before. */
  failed(attempt: LoginTry): boolean {
    const keys = keysOf(attempt);
    const before = this.isBlocked(attempt);
    for (const key of Object.values(keys)) {
      const count = this.#count(key) + 1;
      this.#failures.set(key, { count, lastMs: this.#clock.now() });
    }
    return !before && this.isBlocked(attempt);
  }

  /** What blocks now, newest last. */
  blocking(): ThrottleEntry[] {
    const entries = this.#failures.entries().map(([key, { count, lastMs }]) => ({ key, count, lastMs }));
    return entries.filter(({ key, count }) => count >= limits.pair && this.#count(key) > 0).slice(-maxKept);
  }

  /** What is known to be newer stays. */
  restore(entries: readonly ThrottleEntry[]): void {
    for (const { key, count, lastMs } of entries) {
      const known = this.#failures.get(key);
      if (known === undefined || known.lastMs < lastMs) this.#failures.set(key, { count, lastMs });
    }
  }

  succeeded(attempt: LoginTry): void {
    const { pair } = keysOf(attempt);
    this.#failures.delete(pair);
    this.#known.set(pair, true);
  }

  #count(key: string): number {
    const entry = this.#failures.get(key);
    return entry && this.#clock.now() - entry.lastMs < windowMs ? entry.count : 0;
  }
}

function keysOf({ account, address, tokenId }: LoginTry) {
  const from = tokenId === undefined ? `address ${networkOf(address)}` : `token ${tokenId}`;
  return { pair: JSON.stringify([account, from]), address: from, account: `account ${account}` };
}

/** Whoever has an IPv6 address has the 2^64 beside it. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = "", tail = ""] = address.split("%")[0]?.split("::") ?? [];
  const first = head === "" ? [] : head.split(":");
  const last = tail === "" ? [] : tail.split(":");
  const gap = Array<string>(Math.max(0, 8 - first.length - last.length)).fill("0");
  return [...first, ...gap, ...last]
    .slice(0, 4)
    .map((part) => part.replace(/^0+(?=.)/, ""))
    .join(":");
}
