import type { Clock } from "@capstan/flow";
import { isNotFound, type KubeLog } from "@capstan/kube";
import { messageOf } from "@capstan/model";

export interface RepeatedWritesInput {
  clock: Clock;
  log: Pick<KubeLog, "warn">;
  signal: AbortSignal;
  /** What the log says of a failure. */
  failed: string;
}

const firstPauseMs = 1_000;
const longestPauseMs = 60_000;

/**
 * Writes that nobody waits for: one that fails is tried again with growing pauses. A write decides by what is newest
 * whether there still is something to write, since it may be called long after it was asked for.
 */
export class RepeatedWrites {
  readonly #input: RepeatedWritesInput;
  /** By key; true when it was asked for once more meanwhile. */
  readonly #underWay = new Map<string, boolean>();

  constructor(input: RepeatedWritesInput) {
    this.#input = input;
  }

  /** One at a time for each key. */
  ask(key: string, write: () => Promise<void>): void {
    const isUnderWay = this.#underWay.has(key);
    this.#underWay.set(key, isUnderWay);
    if (!isUnderWay) void this.#repeat(key, write);
  }

  async #repeat(key: string, write: () => Promise<void>): Promise<void> {
    const { clock, log, signal, failed } = this.#input;
    for (let pauseMs = 0; !signal.aborted; ) {
      this.#underWay.set(key, false);
      try {
        await write();
        pauseMs = 0;
        if (!this.#underWay.get(key)) break;
      } catch (error) {
        if (signal.aborted || isNotFound(error)) break;
        if (pauseMs === 0) log.warn({ object: key, problem: messageOf(error) }, failed);
        pauseMs = Math.min(longestPauseMs, Math.max(firstPauseMs, pauseMs * 2));
        await clock.sleep(pauseMs, signal).catch(() => undefined);
      }
    }
    this.#underWay.delete(key);
  }
}
