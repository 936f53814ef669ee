import { type Clock, KeyedQueue } from "@capstan/flow";

export interface EventQueueNeeds<Event> {
  name: string;
  /** Works one event off. */
  run(event: Event): Promise<void>;
  failed(key: string, error: unknown): void;
  clock: Clock;
}

/** Different events that wait. Beyond that the sender is asked to come again. */
const maxWaiting = 1_000;
const maxRunning = 8;

/**
 * Events wait here for their turn; one of a key waits, the newest, however often it is sent. One that comes again waits
 * for the end of the former: its applications were asked a moment ago.
 */
export class EventQueue<Event> {
  readonly #events = new Map<string, Event>();
  readonly #queue: KeyedQueue;

  constructor({ name, run, clock, failed }: EventQueueNeeds<Event>) {
    this.#queue = new KeyedQueue({
      name,
      atOnce: maxRunning,
      clock,
      failed,
      work: async (key) => {
        const event = this.#events.get(key);
        this.#events.delete(key);
        if (event !== undefined) await run(event);
      },
    });
  }

  get size(): number {
    return this.#events.size;
  }

  waiting(key: string): Event | undefined {
    return this.#events.get(key);
  }

  /** False when too many wait. */
  add(key: string, event: Event): boolean {
    if (!this.#events.has(key) && this.#events.size >= maxWaiting) return false;
    this.#events.set(key, event);
    this.#queue.add(key);
    return true;
  }

  idle(): Promise<void> {
    return this.#queue.idle();
  }
}
