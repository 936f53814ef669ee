import type { Log } from "@capstan/plugin-kit";

interface Removable {
  readonly top: string;
  remove(): Promise<void>;
}

const atOnce = 16;

/** Removes what renders leave while their callers have their answers already. */
export class Removals {
  readonly #log: Log;
  readonly #running = new Set<Promise<void>>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Does not wait for the removal, unless many are under way: files must not pile up. */
  async add(one: Removable): Promise<void> {
    while (this.#running.size >= atOnce) await Promise.race(this.#running);
    const removed = this.#remove(one).finally(() => this.#running.delete(removed));
    this.#running.add(removed);
  }

  async settle(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #remove(one: Removable): Promise<void> {
    try {
      await one.remove();
    } catch (error) {
      this.#log.error({ directory: one.top, error }, "a directory of a render was not removed");
    }
  }
}
