import type { Clock } from "@capstan/flow";

export interface WorklistOptions {
  work: (key: string) => void;
  failed: (key: string, error: unknown) => void;
  clock: Clock;
  signal: AbortSignal;
}

const keysPerTurn = 200;
const retryAfterMs = 2_000;

/** Keys to look at, each waiting at most once. A bounded number is worked on per turn, so that requests get theirs. */
export class Worklist {
  readonly #options: WorklistOptions;
  readonly #keys = new Set<string>();
  #timer: NodeJS.Immediate | undefined;

  constructor(options: WorklistOptions) {
    this.#options = options;
    options.signal.addEventListener("abort", () => this.#stop(), { once: true });
  }

  add(key: string): void {
    if (this.#options.signal.aborted) return;
    this.#keys.add(key);
    this.#timer ??= setImmediate(() => this.#turn());
  }

  /** For what cannot be done now: a full disk, say. */
  addLater(key: string): void {
    const { clock, signal } = this.#options;
    void clock.sleep(retryAfterMs, signal).then(
      () => this.add(key),
      () => this.#stop(),
    );
  }

  #turn(): void {
    this.#timer = undefined;
    let left = keysPerTurn;
    for (const key of this.#keys) {
      this.#keys.delete(key);
      try {
        this.#options.work(key);
      } catch (error) {
        this.#options.failed(key, error);
      }
      left -= 1;
      if (left === 0) break;
    }
    if (this.#keys.size > 0) this.#timer ??= setImmediate(() => this.#turn());
  }

  #stop(): void {
    this.#keys.clear();
    if (this.#timer !== undefined) clearImmediate(this.#timer);
    this.#timer = undefined;
  }
}
