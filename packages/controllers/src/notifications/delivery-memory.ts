import { growingPause, orAborted } from "@capstan/flow";

interface Failed {
  readonly failures: number;
  readonly dueAt: number;
  readonly problem: string;
}

const pauses = { firstMs: 5_000, longestMs: 300_000 };
/** Of many Applications at once, which come at different times then. */
const postponeMs = 30_000;
/** Of one Application; beyond it failures are forgotten, the oldest first, and tried again at once. */
const mostFailures = 1_000;

/** What is known of the deliveries of one Application beside what is written on it. */
export class DeliveryMemory {
  /** Keys that are being sent, or wait for it. */
  readonly underWay = new Set<string>();
  /** Sent and not yet written: when, in seconds since 1970. */
  readonly sent = new Map<string, number>();
  /** Of the Application that it is about: one of the same name is another. */
  readonly uid: string | undefined;
  /** When to look again, in milliseconds since 1970; undefined: only after a change. */
  lookAt: number | undefined;
  readonly #awaited = new Map<string, PromiseWithResolvers<void>>();
  readonly #failed = new Map<string, Failed>();
  /** By recipient: the end of what was last sent there. */
  readonly #chains = new Map<string, Promise<void>>();

  constructor(uid: string | undefined) {
    this.uid = uid;
  }

  /** One message after the other to each recipient, in the order in which they came up. */
  inTurn(recipient: string, send: () => Promise<void>): Promise<void> {
    const before = this.#chains.get(recipient) ?? Promise.resolve();
    const done = before.then(send);
    const settled = done.catch(() => undefined);
    this.#chains.set(recipient, settled);
    void settled.then(() => {
      if (this.#chains.get(recipient) === settled) this.#chains.delete(recipient);
    });
    return done;
  }

  mayStart(key: string, now: number): boolean {
    return !this.underWay.has(key) && (this.#failed.get(key)?.dueAt ?? 0) <= now;
  }

  succeeded(key: string, now: number): void {
    this.#failed.delete(key);
    this.sent.set(key, Math.floor(now / 1000));
  }

  /** Whether it is worth saying: another problem than the last time. */
  failed(key: string, problem: string, now: number): boolean {
    const before = this.#failed.get(key);
    const failures = (before?.failures ?? 0) + 1;
    this.#failed.delete(key);
    this.#failed.set(key, { failures, dueAt: now + growingPause(failures, pauses), problem });
    for (const oldest of this.#failed.keys()) {
      if (this.#failed.size <= mostFailures) break;
      this.#failed.delete(oldest);
    }
    return before?.problem !== problem;
  }

  /** Resolves when what was sent under the key is written, or need not be any more. */
  async written(key: string, signal: AbortSignal): Promise<void> {
    if (!this.sent.has(key)) return;
    const known = this.#awaited.get(key) ?? Promise.withResolvers<void>();
    this.#awaited.set(key, known);
    await orAborted(known.promise, signal);
  }

  wrote(key: string): void {
    this.sent.delete(key);
    this.#awaited.get(key)?.resolve();
    this.#awaited.delete(key);
  }

  /** There is nothing more to write on: the Application is gone. */
  end(): void {
    for (const key of [...this.sent.keys(), ...this.#awaited.keys()]) this.wrote(key);
  }

  /** There was no place for it: to be asked for again later, and no failure. */
  postponed(key: string, now: number): void {
    this.#failed.set(key, { failures: 0, dueAt: now + postponeMs * (0.5 + Math.random()), problem: "" });
  }

  /** Only what is still asked for is remembered. */
  keepFailed(asked: ReadonlySet<string>): void {
    for (const key of this.#failed.keys()) if (!asked.has(key)) this.#failed.delete(key);
  }

  nextAttempt(): number | undefined {
    const due = [...this.#failed].filter(([key]) => !this.underWay.has(key)).map(([, { dueAt }]) => dueAt);
    return due.length === 0 ? undefined : Math.min(...due);
  }
}
