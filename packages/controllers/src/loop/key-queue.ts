import type { Clock } from "@capstan/model";
import type { LoopMetrics } from "./loop-metrics.ts";

export interface KeyQueueOptions {
  /** Keys worked on at a time. */
  concurrency: number;
  work(key: string, signal: AbortSignal): Promise<void>;
  clock: Clock;
  metrics: LoopMetrics;
}

/**
 * Keys wait at most once and are worked on by one worker at a time; a key added while it is worked on is
 * worked on again. The length is bounded by the number of objects.
 */
export class KeyQueue implements AsyncDisposable {
  readonly #options: KeyQueueOptions;
  readonly #waiting = new Map<string, number>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #delayed = new Map<string, { due: number; cancel: AbortController }>();
  readonly #stop = new AbortController();
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(options: KeyQueueOptions) {
    this.#options = options;
  }

  add(key: string): void {
    if (this.#stop.signal.aborted || this.#waiting.has(key)) return;
    this.#waiting.set(key, this.#options.clock.now());
    this.#options.metrics.added();
    this.#pump();
  }

  /** The earliest of several delays of one key counts. */
  addAfter(key: string, ms: number): void {
    if (this.#stop.signal.aborted) return;
    const { clock } = this.#options;
    const waitMs = Math.max(0, ms);
    const due = clock.now() + waitMs;
    const before = this.#delayed.get(key);
    if (before && before.due <= due) return;
    before?.cancel.abort();
    const cancel = new AbortController();
    this.#delayed.set(key, { due, cancel });
    clock.sleep(waitMs, AbortSignal.any([cancel.signal, this.#stop.signal])).then(
      () => {
        this.#delayed.delete(key);
        this.add(key);
      },
      () => undefined,
    );
  }

  /** The key needs no look any more: its object is gone. */
  forget(key: string): void {
    this.#delayed.get(key)?.cancel.abort();
    this.#delayed.delete(key);
    this.#waiting.delete(key);
  }

  /** Resolves when nothing waits and nothing is worked on; delayed keys do not count. */
  async idle(): Promise<void> {
    if (this.#waiting.size === 0 && this.#running.size === 0) return;
    this.#idle ??= Promise.withResolvers<void>();
    await this.#idle.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("the controller stops"));
    this.#waiting.clear();
    for (const { cancel } of this.#delayed.values()) cancel.abort();
    this.#delayed.clear();
    await Promise.all(this.#running.values());
    this.#settleIdle();
  }

  #pump(): void {
    const { concurrency, clock, metrics } = this.#options;
    for (const [key, since] of this.#waiting) {
      if (this.#running.size >= concurrency) break;
      if (this.#running.has(key)) continue;
      this.#waiting.delete(key);
      metrics.started(clock.now() - since);
      this.#running.set(key, this.#work(key));
    }
    metrics.depth(this.#waiting.size, this.#running.size);
  }

  async #work(key: string): Promise<void> {
    const { clock, metrics, work } = this.#options;
    const started = clock.now();
    // Lets #running hold this promise before the work can end.
    await Promise.resolve();
    try {
      await work(key, this.#stop.signal);
    } finally {
      metrics.finished(clock.now() - started);
      this.#running.delete(key);
      if (this.#waiting.size === 0 && this.#running.size === 0) this.#settleIdle();
      this.#pump();
    }
  }

  #settleIdle(): void {
    this.#idle?.resolve();
    this.#idle = undefined;
  }
}
