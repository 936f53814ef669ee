import { type Clock, Limiter } from "@capstan/flow";
import { isCapstanError } from "@capstan/model";

export interface PaceState {
  readonly running: number;
  readonly waiting: number;
  /** Milliseconds since 1970 at which the call that has run longest began. */
  readonly since?: number;
}

interface PaceOptions {
  readonly clock: Clock;
  /** What one call may take. */
  readonly timeoutMs: number;
  /** Calls at once, at most. */
  readonly most: number;
}

/** Of an unknown server: it has shown nothing yet. */
const firstAtOnce = 2;
/** A call that takes more than this part of its time tells that the server has enough to do. */
const slowPart = 1 / 4;

/**
 * How many calls a server is given at once that tells no limit of its own: one more with each that went well, half as
 * many once they take long, so that calls wait for their turn here, where that costs none of their time, and not
 * within a server that is busy.
 */
export class ServerPace {
  readonly #options: PaceOptions;
  readonly #lane: Limiter;
  readonly #running = new Set<{ readonly since: number }>();
  #waiting = 0;
  /** Calls that began before it say nothing of the present number. */
  #changedAt = Number.NEGATIVE_INFINITY;

  constructor(options: PaceOptions) {
    this.#options = options;
    this.#lane = new Limiter({ atOnce: Math.min(firstAtOnce, options.most) });
  }

  get state(): PaceState {
    const since = Math.min(...[...this.#running].map((one) => one.since));
    const shown = Number.isFinite(since) ? { since } : {};
    return { running: this.#running.size, waiting: this.#waiting, ...shown };
  }

  /** Gives the call, once it is its turn, the time that it has waited. */
  async run<Value>(call: (waitedMs: number) => Promise<Value>, signal: AbortSignal): Promise<Value> {
    const { clock } = this.#options;
    const asked = clock.now();
    this.#waiting += 1;
    let isWaiting = true;
    const begin = () => {
      isWaiting = false;
      this.#waiting -= 1;
    };
    try {
      return await this.#lane.run(() => {
        begin();
        return this.#measured(() => call(clock.now() - asked));
      }, signal);
    } finally {
      if (isWaiting) begin();
    }
  }

  async #measured<Value>(call: () => Promise<Value>): Promise<Value> {
    const { clock, timeoutMs } = this.#options;
    const own = { since: clock.now() };
    this.#running.add(own);
    try {
      const value = await call();
      this.#learn(own.since, clock.now() - own.since > timeoutMs * slowPart);
      return value;
    } catch (error) {
      if (isCapstanError(error, "TIMED_OUT")) this.#learnFromEnd(own.since);
      throw error;
    } finally {
      this.#running.delete(own);
    }
  }

  /** What runs out of its time alone has nobody else to blame: others are not to wait for it. */
  #learnFromEnd(since: number): void {
    const wasAlone = this.#lane.atOnce === 1 && since >= this.#changedAt;
    if (wasAlone) {
      this.#lane.atOnce = this.#options.most;
      this.#changedAt = this.#options.clock.now();
    } else this.#learn(since, true);
  }

  #learn(since: number, isSlow: boolean): void {
    const { clock, most } = this.#options;
    const { atOnce } = this.#lane;
    if (!isSlow) this.#lane.atOnce = Math.min(most, atOnce + 1);
    else if (since >= this.#changedAt) {
      this.#lane.atOnce = Math.max(1, Math.floor(atOnce / 2));
      this.#changedAt = clock.now();
    }
  }
}
