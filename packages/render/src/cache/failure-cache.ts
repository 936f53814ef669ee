import { BoundedMap, type Clock, growingPause } from "@capstan/flow";
import { isCapstanError } from "@capstan/model";
import { cachedFailure } from "./cached-failure.ts";

const pauses = { firstMs: 5_000, longestMs: 5 * 60_000 };

/**
 * Failures that would come again, kept for a short time that doubles with each one in a row, so that a broken
 * application does not cost a render at every turn. Told again, they say so and until when.
 */
export class FailureCache {
  readonly #clock: Clock;
  readonly #kept = new BoundedMap<{ failure: unknown; inARow: number; until: number }>(10_000);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  throwIfKept(key: string): void {
    const kept = this.#kept.get(key);
    if (kept && kept.until > this.#clock.now()) throw cachedFailure(kept.failure, kept.until);
  }

  keep(key: string, failure: unknown): void {
    if (!isCapstanError(failure) || isCapstanError(failure, "QUEUE_FULL")) return;
    // A server that is away or busy says nothing of the files: who needs it is not made to wait longer each time.
    const isOfServer = isCapstanError(failure, "PLUGIN_UNREACHABLE");
    const inARow = isOfServer ? 1 : (this.#kept.get(key)?.inARow ?? 0) + 1;
    const until = this.#clock.now() + growingPause(inARow, pauses);
    this.#kept.set(key, { failure, inARow, until });
  }

  forget(key: string): void {
    this.#kept.delete(key);
  }
}
