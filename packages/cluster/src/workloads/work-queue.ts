import type { Clock } from "@capstan/flow";
import { ApiError } from "../types.ts";

export interface WorkQueueNeeds {
  name: string;
  concurrency: number;
  clock: Clock;
  signal: AbortSignal;
  /** Brings one object to its desired state; answers after how many ms to look again, if at all. */
  work(key: string): Promise<number | undefined>;
  /** Told of failures that are neither conflicts nor objects that have gone. */
  failed(key: string, error: unknown): void;
}

const firstRetryMs = 5;
const longestRetryMs = 30_000;
/** Timers hold at most 2^31 - 1 ms. */
const longestSleepMs = 2 ** 31 - 1;

/**
 * Keys wait at most once and are worked on by one worker at a time; a key added while it runs, runs again.
 * Its length is bounded by the number of objects.
 */
export class WorkQueue {
  readonly #needs: WorkQueueNeeds;
  readonly #waiting = new Set<string>();
  readonly #running = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #later = new Map<string, { at: number; timer: AbortController }>();
  #pumping = false;
  #drained: (() => void)[] = [];

  constructor(needs: WorkQueueNeeds) {
    this.#needs = needs;
  }

  get isIdle(): boolean {
    return this.#waiting.size === 0 && this.#running.size === 0;
  }

  add(key: string): void {
    if (this.#needs.signal.aborted || this.#waiting.has(key)) return;
    this.#waiting.add(key);
    this.#pumpSoon();
  }

  addAfter(key: string, delayMs: number): void {
    if (this.#needs.signal.aborted) return;
    const at = this.#needs.clock.now() + delayMs;
    const known = this.#later.get(key);
    if (known && known.at <= at) return;
    known?.timer.abort();
    if (delayMs <= 0) {
      this.#later.delete(key);
      this.add(key);
      return;
    }
    const timer = new AbortController();
    this.#later.set(key, { at, timer });
    void this.#addLater(key, delayMs, timer.signal);
  }

  /** Resolves when nothing waits or runs; delayed keys do not count. */
  drained(): Promise<void> {
    if (this.isIdle) return Promise.resolve();
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  async #addLater(key: string, delayMs: number, cancelled: AbortSignal): Promise<void> {
    const { clock, signal } = this.#needs;
    try {
      await clock.sleep(Math.min(delayMs, longestSleepMs), AbortSignal.any([signal, cancelled]));
    } catch (error) {
      if (signal.aborted || cancelled.aborted) return;
      this.#needs.failed(key, error);
    }
    this.#later.delete(key);
    this.add(key);
  }

  /** Deferred, so that a burst of changes becomes one piece of work and requests are answered in between. */
  #pumpSoon(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    setImmediate(() => {
      this.#pumping = false;
      this.#pump();
    });
  }

  #pump(): void {
    if (this.#needs.signal.aborted) this.#waiting.clear();
    for (const key of this.#waiting) {
      if (this.#running.size >= this.#needs.concurrency) return;
      if (this.#running.has(key)) continue;
      this.#waiting.delete(key);
      this.#running.add(key);
      void this.#run(key);
    }
    if (!this.isIdle) return;
    const waiters = this.#drained;
    this.#drained = [];
    for (const resolve of waiters) resolve();
  }

  async #run(key: string): Promise<void> {
    try {
      const again = await this.#needs.work(key);
      this.#failures.delete(key);
      if (again !== undefined) this.addAfter(key, again);
    } catch (error) {
      this.#retry(key, error);
    } finally {
      this.#running.delete(key);
      this.#pumpSoon();
    }
  }

  #retry(key: string, error: unknown): void {
    if (this.#needs.signal.aborted) return;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    if (!isExpected(error)) this.#needs.failed(key, error);
    this.addAfter(key, Math.min(firstRetryMs * 2 ** Math.min(failures - 1, 20), longestRetryMs));
  }
}

/** Lost races, and namespaces or objects that are going away: the next look at the key settles them. */
function isExpected(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 409 || error.code === 404 || error.code === 403);
}
