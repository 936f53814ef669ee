import type { Clock } from "@capstan/flow";
import { formatTime } from "@capstan/formats";
import { messageOf } from "@capstan/model";
import type { ConnectionState } from "@capstan/wire";

const keepMs = 60_000;
const maxKept = 10_000;

/** Whether repositories could be reached, tried at most once a minute each unless asked for a fresh try. */
export class ConnectionStates {
  readonly #kept = new Map<string, { atMs: number; state: Promise<ConnectionState> }>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  stateOf(
    key: string,
    { test, isFresh }: { test: () => Promise<void>; isFresh: boolean },
  ): Promise<ConnectionState> {
    const now = this.#clock.now();
    const kept = this.#kept.get(key);
    if (kept && !isFresh && now - kept.atMs < keepMs) return kept.state;
    const attemptedAt = formatTime(now);
    const state = test().then(
      (): ConnectionState => ({ status: "Successful", attemptedAt }),
      (error: unknown): ConnectionState => ({ status: "Failed", message: messageOf(error), attemptedAt }),
    );
    if (this.#kept.size >= maxKept) this.#kept.clear();
    this.#kept.set(key, { atMs: now, state });
    return state;
  }

  forget(key: string): void {
    this.#kept.delete(key);
  }
}
