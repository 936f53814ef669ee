import type { Entry } from "./entry.ts";

export interface StoreEvent {
  readonly kind: "ADDED" | "MODIFIED" | "DELETED";
  /** For DELETED: the last state, with the revision of the deletion. */
  readonly entry: Entry;
  readonly previous: Entry | undefined;
}

interface Window {
  events: StoreEvent[];
  /** Events up to here may be missing. */
  expiredUpTo: number;
}

export interface EventLogLimits {
  events: number;
  /** Of the objects, and of what they were before. */
  characters: number;
}

/**
 * The recent changes that watches resume from. Bounded over all types together; a type forgets only its own
 * events, so a flood of one does not expire the watchers of another.
 */
export class EventLog {
  readonly #limits: EventLogLimits;
  readonly #startRevision: number;
  readonly #windows = new Map<string, Window>();
  #order: StoreEvent[] = [];
  #head = 0;
  #characters = 0;

  readonly #expired: (event: StoreEvent) => void;

  constructor(startRevision: number, limits: EventLogLimits, expired: (event: StoreEvent) => void) {
    this.#startRevision = startRevision;
    this.#limits = limits;
    this.#expired = expired;
  }

  push(event: StoreEvent): void {
    const { entry, previous } = event;
    const window = this.#windows.get(entry.type) ?? { events: [], expiredUpTo: this.#startRevision };
    this.#windows.set(entry.type, window);
    window.events.push(event);
    this.#order.push(event);
    this.#characters += entry.text.length;
    // Else it is counted as the entry of its own event.
    if (previous && previous.revision <= window.expiredUpTo) this.#characters += previous.text.length;
    while (
      this.#order.length - this.#head > this.#limits.events ||
      this.#characters > this.#limits.characters
    )
      if (!this.#expireOldest()) break;
  }

  /** Changes of a type after a revision, or undefined when some of them are forgotten. */
  since(type: string, revision: number): readonly StoreEvent[] | undefined {
    const window = this.#windows.get(type);
    if (revision < (window?.expiredUpTo ?? this.#startRevision)) return undefined;
    if (window === undefined) return [];
    return window.events.slice(firstAfter(window.events, revision));
  }

  #expireOldest(): boolean {
    const oldest = this.#order[this.#head];
    if (oldest === undefined) return false;
    this.#head += 1;
    const { entry, previous } = oldest;
    if (previous) this.#characters -= previous.text.length;
    // What another has replaced stays as long as that one's event.
    if (!entry.isReplaced) this.#characters -= entry.text.length;
    this.#expired(oldest);
    const window = this.#windows.get(entry.type);
    if (window !== undefined) {
      window.expiredUpTo = entry.revision;
      // A type's events are trimmed in bulk: shifting one by one is quadratic in V8 for long arrays.
      const stale = firstAfter(window.events, window.expiredUpTo);
      if (stale > 1_000 || stale === window.events.length) window.events.splice(0, stale);
    }
    if (this.#head > 10_000) {
      this.#order = this.#order.slice(this.#head);
      this.#head = 0;
    }
    return true;
  }
}

function firstAfter(events: readonly StoreEvent[], revision: number): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle]?.entry.revision ?? Number.POSITIVE_INFINITY) <= revision) low = middle + 1;
    else high = middle;
  }
  return low;
}
