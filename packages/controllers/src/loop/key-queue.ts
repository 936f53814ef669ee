import { type Clock, growingPause, KeyedQueue, type Turn } from "@capstan/flow";
import type { LoopMetrics } from "./loop-metrics.ts";

export interface KeyQueueOptions {
  /** Keys worked on at a time. */
  concurrency: number;
  work(key: string, signal: AbortSignal): Promise<void>;
  /**
   * When the key is due by itself, on the clock's time; undefined: only when it is added. Asked after each piece
   * of work, whatever its result, so that no result can leave a key without its next look.
   */
  nextAt(key: string): number | undefined;
  /** As KeyedQueue has it. */
  goesFirst?(key: string): boolean;
  clock: Clock;
  metrics: LoopMetrics;
  log: { warn(facts: object, message: string): void; error(facts: object, message: string): void };
}

/** How often a key was worked on without a pause. */
interface Pace {
  runs: number;
  endedAt: number;
  heldUntil: number;
}

/** A shorter time between two pieces of work on one key is no pause. */
const pauseMs = 50;
/** An operation with many objects takes some; none takes so many. */
const freeRuns = 200;
const holds = { firstMs: 50, longestMs: 1_000 };
/** After work that rejected, which it must not. */
const brokenRetryMs = 30_000;

/**
 * A keyed queue in which each key has at most one timer, always for the time that `nextAt` says, and a key that is
 * worked on again and again without a pause is held back. The length is bounded by the number of objects.
 */
export class KeyQueue implements AsyncDisposable {
  readonly #options: KeyQueueOptions;
  readonly #queue: KeyedQueue;
  /** Added, and not begun since. */
  readonly #asked = new Set<string>();
  readonly #paces = new Map<string, Pace>();
  /** Forgotten while they were worked on. */
  readonly #gone = new Set<string>();

  constructor(options: KeyQueueOptions) {
    this.#options = options;
    const { concurrency, goesFirst, clock, metrics, log } = options;
    this.#queue = new KeyedQueue({
      name: metrics.name,
      atOnce: concurrency,
      clock,
      work: (key, turn) => this.#work(key, turn),
      ...(goesFirst && { goesFirst }),
      failed: (key, err) => log.error({ key, err }, "the work on an object broke off"),
      added: () => metrics.added(),
      ended: (key) => this.rearm(key),
      onChange: ({ waiting, running }) => metrics.depth(waiting, running),
    });
  }

  add(key: string): void {
    this.#asked.add(key);
    this.rearm(key);
  }

  /** To be called when `nextAt` may have another answer; not needed during the key's own work. */
  rearm(key: string): void {
    // Done at the end of the work.
    if (this.#queue.isRunning(key)) return;
    const now = this.#options.clock.now();
    const asked = this.#asked.has(key) ? now : this.#options.nextAt(key);
    if (asked === undefined) this.#queue.cancel(key);
    else this.#queue.addAt(key, Math.max(asked, this.#paces.get(key)?.heldUntil ?? 0));
  }

  /** The key needs no look any more: its object is gone. */
  forget(key: string): void {
    if (this.#queue.isRunning(key)) this.#gone.add(key);
    this.#queue.forget(key);
    this.#asked.delete(key);
    this.#paces.delete(key);
  }

  /** Resolves when nothing waits and nothing is worked on; keys that are due later or held back do not count. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#queue[Symbol.asyncDispose]();
  }

  async #work(key: string, { signal, waitedMs }: Turn): Promise<void> {
    const { clock, metrics, work } = this.#options;
    const started = clock.now();
    this.#asked.delete(key);
    metrics.started(waitedMs);
    let broken = false;
    try {
      await work(key, signal);
    } catch (error) {
      broken = !signal.aborted;
      if (broken) throw error;
    } finally {
      metrics.finished(clock.now() - started);
      if (!this.#gone.delete(key)) this.#keepPace(key, { started, broken });
    }
  }

  #keepPace(key: string, { started, broken }: { started: number; broken: boolean }): void {
    const { clock, log } = this.#options;
    const now = clock.now();
    const before = this.#paces.get(key);
    const paused = before === undefined || started - Math.max(before.endedAt, before.heldUntil) >= pauseMs;
    const pace = { runs: paused ? 1 : before.runs + 1, endedAt: now, heldUntil: 0 };
    this.#paces.set(key, pace);
    if (broken) {
      this.#asked.add(key);
      pace.heldUntil = now + brokenRetryMs;
    }
    const beyond = pace.runs - freeRuns;
    if (beyond <= 0) return;
    if (beyond === 1)
      log.warn(
        { key, runs: pace.runs },
        "this object was worked on again and again without a pause: it is held back from now on",
      );
    pace.heldUntil = Math.max(pace.heldUntil, now + growingPause(beyond, holds));
  }
}
