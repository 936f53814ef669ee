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

const nothingSent: ReadonlyMap<string, number> = new Map();

/** All by key, but what is by recipient. */
interface Deliveries {
  /** Being sent, or waiting for it. */
  readonly underWay: Set<string>;
  /** Sent and not yet written: when, in seconds since 1970. */
  readonly sent: Map<string, number>;
  /** Whoever waits until it is written. */
  readonly awaited: Map<string, PromiseWithResolvers<void>>;
  readonly failed: Map<string, Failed>;
  /** By recipient: the end of what was last sent there. */
  readonly chains: Map<string, Promise<void>>;
}

/** What is known of the deliveries of one Application beside what is written on it. */
export class DeliveryMemory {
  /** Of the Application that it is about: one of the same name is another. */
  readonly uid: string | undefined;
  /** When to look again, in milliseconds since 1970; undefined: only after a change. */
  lookAt: number | undefined;
  /** Made with the first: most Applications are delivered nothing. */
  #made: Deliveries | undefined;

  constructor(uid: string | undefined) {
    this.uid = uid;
  }

  /** Sent and not yet written: when, in seconds since 1970. */
  get sent(): ReadonlyMap<string, number> {
    return this.#made?.sent ?? nothingSent;
  }

  /** One message after the other to each recipient, in the order in which they came up; the key is under way until `ended`. */
  begin(key: string, { recipient, send }: { recipient: string; send: () => Promise<void> }): Promise<void> {
    const { underWay, chains } = this.#all;
    underWay.add(key);
    const before = chains.get(recipient) ?? Promise.resolve();
    const done = before.then(send);
    const settled = done.catch(() => undefined);
    chains.set(recipient, settled);
    void settled.then(() => {
      if (chains.get(recipient) === settled) chains.delete(recipient);
    });
    return done;
  }

  ended(key: string): void {
    this.#made?.underWay.delete(key);
  }

  mayStart(key: string, now: number): boolean {
    if (!this.#made) return true;
    return !this.#made.underWay.has(key) && (this.#made.failed.get(key)?.dueAt ?? 0) <= now;
  }

  succeeded(key: string, now: number): void {
    this.#all.failed.delete(key);
    this.#all.sent.set(key, Math.floor(now / 1000));
  }

  /** Whether it is worth saying: another problem than the last time. */
  failed(key: string, problem: string, now: number): boolean {
    const { failed } = this.#all;
    const before = failed.get(key);
    const failures = (before?.failures ?? 0) + 1;
    failed.delete(key);
    failed.set(key, { failures, dueAt: now + growingPause(failures, pauses), problem });
    for (const oldest of failed.keys()) {
      if (failed.size <= mostFailures) break;
      failed.delete(oldest);
    }
    return before?.problem !== problem;
  }

  /** Resolves when what was sent under the key is written, or need not be any more. */
  async written(key: string, signal: AbortSignal): Promise<void> {
    const { sent, awaited } = this.#all;
    if (!sent.has(key)) return;
    const known = awaited.get(key) ?? Promise.withResolvers<void>();
    awaited.set(key, known);
    await orAborted(known.promise, signal);
  }

  wrote(key: string): void {
    this.#made?.sent.delete(key);
    this.#made?.awaited.get(key)?.resolve();
    this.#made?.awaited.delete(key);
  }

  /** There is nothing more to write on: the Application is gone. */
  end(): void {
    if (!this.#made) return;
    for (const key of [...this.#made.sent.keys(), ...this.#made.awaited.keys()]) this.wrote(key);
  }

  /** There was no place for it: to be asked for again later, and no failure. */
  postponed(key: string, now: number): void {
    const dueAt = now + postponeMs * (0.5 + Math.random());
    this.#all.failed.set(key, { failures: 0, dueAt, problem: "" });
  }

  /** Only what is still asked for is remembered. */
  keepFailed(asked: ReadonlySet<string>): void {
    if (!this.#made) return;
    for (const key of this.#made.failed.keys()) if (!asked.has(key)) this.#made.failed.delete(key);
  }

  nextAttempt(): number | undefined {
    if (!this.#made) return undefined;
    const { failed, underWay } = this.#made;
    const due = [...failed].filter(([key]) => !underWay.has(key)).map(([, { dueAt }]) => dueAt);
    return due.length === 0 ? undefined : Math.min(...due);
  }

  get #all(): Deliveries {
    this.#made ??= {
      underWay: new Set(),
      sent: new Map(),
      awaited: new Map(),
      failed: new Map(),
      chains: new Map(),
    };
    return this.#made;
  }
}
