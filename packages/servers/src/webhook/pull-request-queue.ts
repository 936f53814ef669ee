import { type Clock, KeyedQueue } from "@capstan/flow";
import type { PullRequestEvent } from "./pull-requests.ts";

interface Needs {
  run(event: PullRequestEvent): Promise<void>;
  failed(key: string, error: unknown): void;
  clock: Clock;
}

/** Different repositories whose events wait. Beyond that the sender is asked to come again. */
const maxWaiting = 1_000;
const maxRunning = 8;

/** Events of pull requests wait here; however many a repository has, it waits once. */
export class PullRequestQueue {
  readonly #events = new Map<string, PullRequestEvent>();
  readonly #queue: KeyedQueue;

  constructor({ run, clock, failed }: Needs) {
    this.#queue = new KeyedQueue({
      atOnce: maxRunning,
      clock,
      failed,
      work: async (key) => {
        const event = this.#events.get(key);
        this.#events.delete(key);
        if (event) await run(event);
      },
    });
  }

  /** False when too many wait. */
  add(event: PullRequestEvent): boolean {
    const key = JSON.stringify(event);
    if (!this.#events.has(key) && this.#events.size >= maxWaiting) return false;
    this.#events.set(key, event);
    this.#queue.add(key);
    return true;
  }

  idle(): Promise<void> {
    return this.#queue.idle();
  }
}
