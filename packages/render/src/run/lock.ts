import { orAborted } from "@capstan/flow";
/** One at a time, in the order of asking. */
export class Lock {
  #last: Promise<void> = Promise.resolve();

  async run<Value>(work: () => Promise<Value>, signal: AbortSignal): Promise<Value> {
    const before = this.#last;
    const done = Promise.withResolvers<void>();
    this.#last = before.then(() => done.promise);
    try {
      await orAborted(before, signal);
      return await work();
    } finally {
      done.resolve();
    }
  }
}
