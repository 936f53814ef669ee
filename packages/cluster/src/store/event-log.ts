import type { Entry } from "./entry.ts";
import { Queue } from "./queue.ts";

export interface StoreEvent {
  readonly kind: "ADDED" | "MODIFIED" | "DELETED";
  /** For DELETED: the last state, with the revision of the deletion. */
  readonly entry: Entry;
  readonly previous: Entry | undefined;
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
  /** Whose the oldest event is, and so on. */
  readonly #order = new Queue<Window>();
  #characters = 0;

  readonly #expired: (event: StoreEvent) => void;

  constructor(startRevision: number, limits: EventLogLimits, expired: (event: StoreEvent) => void) {
    this.#startRevision = startRevision;
    this.#limits = limits;
    this.#expired = expired;
  }

  push(event: StoreEvent): void {
    const { entry, previous } = event;
    const window = this.#windows.get(entry.type) ?? new Window(this.#startRevision);
    this.#windows.set(entry.type, window);
    window.events.push(event);
    this.#order.push(window);
    this.#characters += entry.text.length;
    // Else it is counted as the entry of its own event.
    if (previous && previous.revision <= window.expiredUpTo) this.#characters += previous.text.length;
    while (this.#order.length > this.#limits.events || this.#characters > this.#limits.characters)
      if (!this.#expireOldest()) break;
  }

  /** Changes of a type after a revision, or undefined when some of them are forgotten. */
  since(type: string, revision: number): readonly StoreEvent[] | undefined {
    const window = this.#windows.get(type);
    if (revision < (window?.expiredUpTo ?? this.#startRevision)) return undefined;
    return window?.after(revision) ?? [];
  }

  #expireOldest(): boolean {
    const window = this.#order.shift();
    const oldest = window?.expireOldest();
    if (oldest === undefined) return false;
    const { entry, previous } = oldest;
    if (previous) this.#characters -= previous.text.length;
    // What another has replaced stays as long as that one's event.
    if (!entry.isReplaced) this.#characters -= entry.text.length;
    this.#expired(oldest);
    return true;
  }
}

/** The recent changes of one type. */
class Window {
  readonly events = new Queue<StoreEvent>();
  /** Events up to here may be missing. */
  expiredUpTo: number;

  constructor(startRevision: number) {
    this.expiredUpTo = startRevision;
  }

  after(revision: number): readonly StoreEvent[] {
    return this.events.from(this.events.firstWhere(({ entry }) => entry.revision > revision));
  }

  expireOldest(): StoreEvent | undefined {
    const oldest = this.events.shift();
    if (oldest) this.expiredUpTo = oldest.entry.revision;
    return oldest;
  }
}
