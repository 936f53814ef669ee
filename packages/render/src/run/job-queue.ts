import { CapstanError, type Clock } from "@capstan/model";
import { orAborted } from "./shared-calls.ts";

export interface JobQueueOptions {
  name: string;
  concurrency: number;
  /** How many may wait. */
  limit: number;
  clock: Clock;
  onChange?(state: { waiting: number; running: number }): void;
}

/** Runs a bounded number of jobs at once and lets a bounded number wait, first come, first served. */
export class JobQueue {
  readonly #options: JobQueueOptions;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor(options: JobQueueOptions) {
    this.#options = options;
  }

  async run<Value>(job: (waitedMs: number) => Promise<Value>, signal: AbortSignal): Promise<Value> {
    const { clock } = this.#options;
    const asked = clock.now();
    await this.#enter(signal);
    try {
      return await job(clock.now() - asked);
    } finally {
      this.#running--;
      this.#admitNext();
    }
  }

  async #enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { name, concurrency, limit } = this.#options;
    if (this.#running < concurrency) {
      this.#running++;
      this.#report();
      return;
    }
    if (this.#waiting.size >= limit) throw new CapstanError({ code: "QUEUE_FULL", queue: name, limit });
    const turn = Promise.withResolvers<void>();
    this.#waiting.add(turn.resolve);
    this.#report();
    try {
      await orAborted(turn.promise, signal);
    } catch (error) {
      // The turn may have come in the same moment: it goes to the next.
      if (!this.#waiting.delete(turn.resolve)) {
        this.#running--;
        this.#admitNext();
      }
      throw error;
    }
  }

  #admitNext(): void {
    for (const admit of this.#waiting) {
      if (this.#running >= this.#options.concurrency) break;
      this.#waiting.delete(admit);
      this.#running++;
      admit();
    }
    this.#report();
  }

  #report(): void {
    this.#options.onChange?.({ waiting: this.#waiting.size, running: this.#running });
  }
}
