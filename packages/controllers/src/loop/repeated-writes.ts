import { type Clock, growingPause, KeyedQueue } from "@capstan/flow";
import { isNotFound, type KubeLog } from "@capstan/kube";
import { messageOf } from "@capstan/model";

export interface RepeatedWritesInput {
  clock: Clock;
  log: Pick<KubeLog, "warn">;
  signal: AbortSignal;
  /** What the log says of a failure. */
  failed: string;
}

const pauses = { firstMs: 1_000, longestMs: 60_000 };

/**
 * Writes that nobody waits for: one that fails is tried again with growing pauses. A write decides by what is newest
 * whether there still is something to write, since it may be called long after it was asked for.
 */
export class RepeatedWrites {
  readonly #input: RepeatedWritesInput;
  readonly #queue: KeyedQueue;
  /** What is to be written, by key, until it is. */
  readonly #writes = new Map<string, () => Promise<void>>();
  readonly #failures = new Map<string, number>();

  constructor(input: RepeatedWritesInput) {
    this.#input = input;
    this.#queue = new KeyedQueue({
      atOnce: Number.POSITIVE_INFINITY,
      clock: input.clock,
      signal: input.signal,
      work: (key) => this.#write(key),
      failed: (key, error) => this.#tryAgain(key, error),
    });
  }

  /** One at a time for each key. */
  ask(key: string, write: () => Promise<void>): void {
    this.#writes.set(key, write);
    if (this.#queue.dueAt(key) === undefined) this.#queue.add(key);
  }

  async #write(key: string): Promise<void> {
    const write = this.#writes.get(key);
    if (!write) return;
    this.#writes.delete(key);
    try {
      await write();
      this.#failures.delete(key);
    } catch (error) {
      // What was asked for meanwhile is newer.
      if (!this.#writes.has(key)) this.#writes.set(key, write);
      throw error;
    }
  }

  #tryAgain(key: string, error: unknown): void {
    const { clock, log, signal, failed } = this.#input;
    if (signal.aborted || isNotFound(error)) {
      this.#writes.delete(key);
      this.#failures.delete(key);
      return;
    }
    const failures = (this.#failures.get(key) ?? 0) + 1;
    if (failures === 1) log.warn({ object: key, problem: messageOf(error) }, failed);
    this.#failures.set(key, failures);
    this.#queue.addAt(key, clock.now() + growingPause(failures, pauses));
  }
}
