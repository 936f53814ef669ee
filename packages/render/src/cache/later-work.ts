import { setImmediate as nextTurn } from "node:timers/promises";
import type { Log } from "@capstan/plugin-kit";

const atOnce = 16;

/** What is done once the caller has its answer: files of a render removed, its output written to disk. */
export class LaterWork {
  readonly #log: Log;
  readonly #running = new Set<Promise<void>>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Does not wait for the work, unless much is under way: it must not pile up. */
  async add(what: string, work: () => Promise<unknown>): Promise<void> {
    while (this.#running.size >= atOnce) await Promise.race(this.#running);
    const done = this.#do(what, work).finally(() => this.#running.delete(done));
    this.#running.add(done);
  }

  /** Until all is done. */
  async settle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #do(what: string, work: () => Promise<unknown>): Promise<void> {
    await nextTurn();
    try {
      await work();
    } catch (error) {
      this.#log.error({ what, error }, "work after a render failed");
    }
  }
}
