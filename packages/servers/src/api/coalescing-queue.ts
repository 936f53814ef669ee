/**
 * What a slow reader has not taken yet: the newest value per key, so that its length is bounded by the number
 * of keys and not by the reader's patience.
 */
export class CoalescingQueue<T> {
  readonly #waiting = new Map<string, T>();
  #wake: (() => void) | undefined;

  push(key: string, value: T): void {
    this.#waiting.delete(key);
    this.#waiting.set(key, value);
    this.#wake?.();
  }

  /** The oldest waiting value. One reader at a time; rejects with the signal's reason. */
  async take(signal: AbortSignal): Promise<T> {
    for (;;) {
      signal.throwIfAborted();
      for (const [key, value] of this.#waiting) {
        this.#waiting.delete(key);
        return value;
      }
      await this.#arrival(signal);
    }
  }

  /** All that waits, the oldest first. */
  async takeAll(signal: AbortSignal): Promise<ReadonlyMap<string, T>> {
    for (;;) {
      signal.throwIfAborted();
      if (this.#waiting.size === 0) await this.#arrival(signal);
      else {
        const all = new Map(this.#waiting);
        this.#waiting.clear();
        return all;
      }
    }
  }

  async #arrival(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    this.#wake = wake;
    signal.addEventListener("abort", wake, { once: true });
    try {
      await promise;
    } finally {
      this.#wake = undefined;
      signal.removeEventListener("abort", wake);
    }
  }
}
