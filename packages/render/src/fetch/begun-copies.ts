import { ObjectLost, ReaderEnded } from "./object-reader.ts";

/** Of work that reads objects, each time after a copy was begun anew. */
const mostTries = 3;

/** Copies of repositories that were thrown away, to be fetched anew by who needs them next. */
export class BegunCopies {
  #count = 0;

  /** One more; gives how many there have been with it. */
  another(): number {
    this.#count += 1;
    return this.#count;
  }

  /**
   * Runs work that reads objects; should one be lost, its copy is begun anew and the work done once more. Where that
   * copy was begun anew meanwhile, it merely lacks what it had before: it is not thrown away for each who was reading.
   */
  async repairing<Value>(
    work: () => Promise<Value>,
    reset: (lost: ObjectLost, begunBefore: number) => Promise<void>,
  ): Promise<Value> {
    for (let tries = 1; ; tries += 1) {
      const before = this.#count;
      try {
        return await work();
      } catch (error) {
        if (tries === mostTries) throw error;
        if (error instanceof ObjectLost) await reset(error, before);
        else if (!(error instanceof ReaderEnded) || this.#count === before) throw error;
      }
    }
  }
}
