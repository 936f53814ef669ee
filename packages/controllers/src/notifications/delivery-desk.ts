import { type Clock, deadline, Limiter } from "@capstan/flow";

/** So many wait already that there is no place for another one now: it is no failure of the receiver. */
export class NoPlaceError extends Error {
  override readonly name = "NoPlaceError";
}

interface DeliveryDeskInput {
  readonly clock: Clock;
}

/** A receiver that has not taken a message by then has failed; attempts of the service itself included. */
const limitMs = 60_000;
const [atOnce, maxWaiting] = [4, 1_000];

/**
 * Lets some deliveries of each lane go at once and a bounded number wait, so that a receiver that hangs holds up nobody
 * but its own. A lane is a service of the operator, or all that one namespace has.
 */
export class DeliveryDesk {
  readonly #clock: Clock;
  readonly #lanes = new Map<string, Limiter>();
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor({ clock }: DeliveryDeskInput) {
    this.#clock = clock;
  }

  /** Rejects with what the work rejects with, that too many wait, or that it took too long. */
  async deliver(lane: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const limiter =
      this.#lanes.get(lane) ??
      new Limiter({
        atOnce,
        maxWaiting,
        full: () => new NoPlaceError(`${maxWaiting} messages wait already`),
      });
    this.#lanes.set(lane, limiter);
    const turn = limiter.run(() => this.#limited(work), this.#stop.signal);
    const settled = turn.then(
      () => undefined,
      () => undefined,
    );
    this.#running.add(settled);
    try {
      await turn;
    } finally {
      this.#running.delete(settled);
      // A lane that was begun anew in the same turn is not this one.
      if (limiter.isIdle && this.#lanes.get(lane) === limiter) this.#lanes.delete(lane);
    }
  }

  /** Gives what is under way some time, then ends it. */
  async close(graceMs: number): Promise<void> {
    const ended = new AbortController();
    const grace = this.#clock.sleep(graceMs, ended.signal).catch(() => undefined);
    await Promise.race([Promise.all(this.#running), grace]);
    ended.abort();
    this.#stop.abort(new Error("the notifications are being stopped"));
    await Promise.all(this.#running);
  }

  async #limited(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    using limit = deadline({
      clock: this.#clock,
      signal: this.#stop.signal,
      ms: limitMs,
      late: () => new Error(`it was not taken within ${limitMs / 1000} s`),
    });
    await work(limit.signal);
  }
}
