import { orAborted } from "./shared-calls.ts";

export interface Lane {
  readonly name: string;
  /** How many work in it at once. */
  readonly atOnce: number;
}

interface Waiting {
  readonly lanes: readonly Lane[];
  readonly admit: () => void;
}

/**
 * Work that needs a place in each of some lanes. Who waits for one holds none of the others, so that a lane in which
 * everybody is stuck holds up nobody who does not need it; else first come, first served. Any number may wait.
 */
export class Lanes {
  readonly #running = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();

  get isIdle(): boolean {
    return this.#running.size === 0 && this.#waiting.size === 0;
  }

  /** Rejects with the signal's reason where that comes before the turn. */
  async run<Value>(lanes: readonly Lane[], work: () => Promise<Value>, signal: AbortSignal): Promise<Value> {
    await this.#enter(lanes, signal);
    try {
      return await work();
    } finally {
      this.#leave(lanes);
    }
  }

  async #enter(lanes: readonly Lane[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#hasPlaces(lanes)) return this.#take(lanes);
    const turn = Promise.withResolvers<void>();
    const waiting = { lanes, admit: turn.resolve };
    this.#waiting.add(waiting);
    try {
      await orAborted(turn.promise, signal);
    } catch (error) {
      // The turn may have come in the same moment: it goes to the next.
      if (!this.#waiting.delete(waiting)) this.#leave(lanes);
      throw error;
    }
  }

  #hasPlaces(lanes: readonly Lane[]): boolean {
    return lanes.every(({ name, atOnce }) => (this.#running.get(name) ?? 0) < atOnce);
  }

  #take(lanes: readonly Lane[]): void {
    for (const { name } of lanes) this.#running.set(name, (this.#running.get(name) ?? 0) + 1);
  }

  #leave(lanes: readonly Lane[]): void {
    for (const { name } of lanes) {
      const left = (this.#running.get(name) ?? 0) - 1;
      if (left > 0) this.#running.set(name, left);
      else this.#running.delete(name);
    }
    for (const waiting of this.#waiting) {
      if (!this.#hasPlaces(waiting.lanes)) continue;
      this.#waiting.delete(waiting);
      this.#take(waiting.lanes);
      waiting.admit();
    }
  }
}
