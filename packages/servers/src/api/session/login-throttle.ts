import type { Clock } from "@capstan/model";

const maxFailures = 5;
const windowMs = 300_000;
const maxUsers = 10_000;

/**
 * Counts failed logins per name: after five within five minutes even the right password is refused
 * (util/session, loginattempts). Tries while refused do not make it longer.
 */
export class LoginThrottle {
  readonly #failures = new Map<string, { count: number; lastMs: number }>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isBlocked(name: string): boolean {
    const entry = this.#current(name);
    return entry !== undefined && entry.count >= maxFailures;
  }

  failed(name: string): void {
    const count = (this.#current(name)?.count ?? 0) + 1;
    this.#failures.delete(name);
    this.#failures.set(name, { count, lastMs: this.#clock.now() });
    if (this.#failures.size > maxUsers) this.#evictOldest();
  }

  succeeded(name: string): void {
    this.#failures.delete(name);
  }

  #current(name: string) {
    const entry = this.#failures.get(name);
    return entry && this.#clock.now() - entry.lastMs < windowMs ? entry : undefined;
  }

  #evictOldest(): void {
    for (const name of this.#failures.keys()) {
      if (name === "admin") continue;
      this.#failures.delete(name);
      return;
    }
  }
}
