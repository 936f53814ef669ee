import type { Clock } from "./clock.ts";
import { DueTimes } from "./due-times.ts";
import { type LiveQueue, showQueue } from "./live-queues.ts";
import { WaitingKeys } from "./waiting-keys.ts";

export interface KeyedQueueOptions {
  /** By which `liveQueues` shows it. Default: it is not shown. */
  readonly name?: string;
  /** Keys worked on at a time. */
  readonly atOnce: number;
  readonly clock: Clock;
  /** Ends the queue: nothing waits any more, and what is under way is told. */
  readonly signal?: AbortSignal;
  work(key: string, turn: Turn): Promise<void>;
  /**
   * Whether the key is worked on before those that wait already; asked each time that it is added. Where many do, each
   * second turn is one of the others': nobody keeps them waiting for ever.
   */
  goesFirst?(key: string): boolean;
  /** The key begins to wait. */
  added?(key: string): void;
  /** Told of work that rejected. */
  failed(key: string, error: unknown): void;
  /** The key is not worked on any more, whatever came of it. */
  ended?(key: string): void;
  onChange?(state: { waiting: number; running: number }): void;
  /** When what has been added is begun; default at once. Deferred, a burst of additions is one piece of work. */
  soon?(begin: () => void): void;
}

export interface Turn {
  readonly signal: AbortSignal;
  readonly waitedMs: number;
}

/** The timer is set anew after this time, so that a machine that slept or a clock that was set loses no key. */
const longestTimerMs = 60_000;

/**
 * Keys wait at most once and are worked on by one worker at a time, in the order of adding, those that go first before
 * the others; a key added while it is worked on is worked on again. All that are due later have one timer. The length is
 * bounded by the number of keys.
 */
export class KeyedQueue implements AsyncDisposable {
  readonly #options: KeyedQueueOptions;
  readonly #waiting = new WaitingKeys();
  readonly #running = new Map<string, { readonly since: number; readonly ended: Promise<void> }>();
  readonly #due = new DueTimes();
  /** For the earliest that is due later, or before that. */
  #timer: { at: number; cancel: AbortController } | undefined;
  readonly #stop = new AbortController();
  #beginsSoon = false;
  #idle: PromiseWithResolvers<void> | undefined;
  #hide: (() => void) | undefined;

  constructor(options: KeyedQueueOptions) {
    this.#options = options;
    const { signal } = options;
    signal?.addEventListener("abort", () => this.#end(signal.reason), { once: true });
    if (signal?.aborted) this.#end(signal.reason);
    else if (options.name !== undefined) this.#hide = showQueue(() => this.#shown(options.name ?? ""));
  }

  get isIdle(): boolean {
    return this.#waiting.size === 0 && this.#running.size === 0;
  }

  isRunning(key: string): boolean {
    return this.#running.has(key);
  }

  add(key: string): void {
    if (this.#stop.signal.aborted) return;
    const goesFirst = this.#options.goesFirst?.(key) ?? false;
    if (this.#waiting.has(key, goesFirst)) return;
    if (this.#waiting.add(key, goesFirst, this.#options.clock.now())) this.#options.added?.(key);
    this.#beginSoon();
  }

  /** Adds the key at a time of the clock, in place of any other time that was set. */
  addAt(key: string, at: number): void {
    if (this.#stop.signal.aborted || this.#due.get(key) === at) return;
    this.cancel(key);
    if (at <= this.#options.clock.now()) this.add(key);
    else {
      this.#due.set(key, at);
      this.#setTimer();
    }
  }

  /** When the key is added by itself. */
  dueAt(key: string): number | undefined {
    return this.#due.get(key);
  }

  /** The key is not added by itself any more. */
  cancel(key: string): void {
    this.#due.delete(key);
  }

  /** Neither waits the key nor is it added by itself. */
  forget(key: string): void {
    this.cancel(key);
    this.#waiting.delete(key);
    this.#settle();
  }

  /** Resolves when nothing waits and nothing is worked on; keys that are due later do not count. */
  async idle(): Promise<void> {
    if (this.isIdle) return;
    this.#idle ??= Promise.withResolvers<void>();
    await this.#idle.promise;
  }

  /** Waits for what is under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#end(new Error("the queue is closed"));
    await Promise.all(Array.from(this.#running.values(), ({ ended }) => ended));
  }

  #end(reason: unknown): void {
    this.#hide?.();
    this.#stop.abort(reason);
    this.#waiting.clear();
    for (const key of [...this.#due.keys()]) this.cancel(key);
    this.#timer?.cancel.abort();
    this.#timer = undefined;
    this.#settle();
  }

  /** A timer that is set already and comes earlier finds nothing to add, and sets the next one. */
  #setTimer(): void {
    const { clock } = this.#options;
    const next = this.#due.next();
    if (next === undefined) return;
    const now = clock.now();
    const at = Math.min(next, now + longestTimerMs);
    if (this.#timer && this.#timer.at <= at) return;
    this.#timer?.cancel.abort();
    const cancel = new AbortController();
    this.#timer = { at, cancel };
    clock.sleep(at - now, cancel.signal).then(
      () => this.#rang(cancel.signal),
      () => undefined, // another one is set, or the queue has ended
    );
  }

  #rang({ aborted }: AbortSignal): void {
    if (aborted) return;
    this.#timer = undefined;
    for (const key of this.#due.take(this.#options.clock.now())) this.add(key);
    this.#setTimer();
  }

  #beginSoon(): void {
    if (this.#beginsSoon) return;
    this.#beginsSoon = true;
    const begin = (): void => {
      this.#beginsSoon = false;
      this.#begin();
    };
    if (this.#options.soon) this.#options.soon(begin);
    else begin();
  }

  #begin(): void {
    const { atOnce, clock, onChange } = this.#options;
    while (this.#running.size < atOnce) {
      const next = this.#waiting.take((key) => !this.#running.has(key));
      if (next === undefined) break;
      const [key, since] = next;
      const now = clock.now();
      this.#running.set(key, { since: now, ended: this.#run(key, now - since) });
    }
    onChange?.({ waiting: this.#waiting.size, running: this.#running.size });
  }

  async #run(key: string, waitedMs: number): Promise<void> {
    // Lets #running hold this promise before the work can end.
    await Promise.resolve();
    try {
      await this.#options.work(key, { signal: this.#stop.signal, waitedMs });
    } catch (error) {
      this.#options.failed(key, error);
    }
    this.#running.delete(key);
    this.#options.ended?.(key);
    this.#settle();
    this.#beginSoon();
  }

  #shown(name: string): LiveQueue {
    const now = this.#options.clock.now();
    const running = Array.from(this.#running, ([key, { since }]) => ({ key, ms: now - since }));
    const waiting = Array.from(this.#waiting, ([key, since]) => ({ key, ms: now - since }));
    return { name, running, waiting, dueLater: this.#due.size };
  }

  #settle(): void {
    if (!this.isIdle) return;
    this.#idle?.resolve();
    this.#idle = undefined;
  }
}
