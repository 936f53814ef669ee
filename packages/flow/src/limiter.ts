import { orAborted } from "./shared-calls.ts";

export interface LimiterOptions {
  readonly atOnce: number;
  /** How many may wait; default any number. */
  readonly maxWaiting?: number;
  /** What who comes when so many wait is told. */
  readonly full?: () => Error;
  readonly onChange?: (state: { waiting: number; running: number }) => void;
}

/** Lets a bounded number work at once and a bounded number wait, first come, first served. */
export class Limiter {
  /** May change while work is under way. */
  atOnce: number;
  readonly #options: LimiterOptions;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor(options: LimiterOptions) {
    this.atOnce = options.atOnce;
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#running === 0 && this.#waiting.size === 0;
  }

  /** Rejects with the signal's reason where that comes before the turn. */
  async run<Value>(work: () => Promise<Value>, signal: AbortSignal): Promise<Value> {
    await this.#enter(signal);
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  async #enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { maxWaiting = Number.POSITIVE_INFINITY, full = isFull } = this.#options;
    if (this.#running < this.atOnce) {
      this.#running += 1;
      this.#tell();
      return;
    }
    if (this.#waiting.size >= maxWaiting) throw full();
    const turn = Promise.withResolvers<void>();
    this.#waiting.add(turn.resolve);
    this.#tell();
    try {
      await orAborted(turn.promise, signal);
    } catch (error) {
      // The turn may have come in the same moment: it goes to the next.
      if (this.#waiting.delete(turn.resolve)) this.#tell();
      else this.#leave();
      throw error;
    }
  }

  #leave(): void {
    this.#running -= 1;
    for (const admit of this.#waiting) {
      if (this.#running >= this.atOnce) break;
      this.#waiting.delete(admit);
      this.#running += 1;
      admit();
    }
    this.#tell();
  }

  #tell(): void {
    this.#options.onChange?.({ waiting: this.#waiting.size, running: this.#running });
  }
}

function isFull(): Error {
  return new Error("too many wait");
}
