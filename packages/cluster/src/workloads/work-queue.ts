import { type Clock, growingPause, KeyedQueue } from "@capstan/flow";
import { ApiError } from "../types.ts";

export interface WorkQueueNeeds {
  concurrency: number;
  clock: Clock;
  signal: AbortSignal;
  /** Brings one object to its desired state; answers after how many ms to look again, if at all. */
  work(key: string): Promise<number | undefined>;
  /** Told of failures that are neither conflicts nor objects that have gone. */
  failed(key: string, error: unknown): void;
}

const retries = { firstMs: 5, longestMs: 30_000 };

/** A keyed queue whose work says when it is to be done again; what fails is done again later and later. */
export class WorkQueue {
  readonly #needs: WorkQueueNeeds;
  readonly #queue: KeyedQueue;
  readonly #failures = new Map<string, number>();

  constructor(needs: WorkQueueNeeds) {
    const { concurrency, clock, signal } = needs;
    this.#needs = needs;
    this.#queue = new KeyedQueue({
      atOnce: concurrency,
      clock,
      signal,
      work: async (key) => {
        const again = await needs.work(key);
        this.#failures.delete(key);
        if (again !== undefined) this.#addAfter(key, again);
      },
      failed: (key, error) => this.#retry(key, error),
      // Requests are answered in between.
      soon: setImmediate,
    });
  }

  get isIdle(): boolean {
    return this.#queue.isIdle;
  }

  add(key: string): void {
    this.#queue.add(key);
  }

  /** Resolves when nothing waits or runs; delayed keys do not count. */
  drained(): Promise<void> {
    return this.#queue.idle();
  }

  #addAfter(key: string, delayMs: number): void {
    const at = this.#needs.clock.now() + delayMs;
    this.#queue.addAt(key, Math.min(at, this.#queue.dueAt(key) ?? at));
  }

  #retry(key: string, error: unknown): void {
    if (this.#needs.signal.aborted) return;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    if (!isExpected(error)) this.#needs.failed(key, error);
    this.#addAfter(key, growingPause(failures, retries));
  }
}

/** Lost races, and namespaces or objects that are going away: the next look at the key settles them. */
function isExpected(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 409 || error.code === 404 || error.code === 403);
}
