import type { Clock } from "@capstan/flow";
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
const firstHoldMs = 50;
const longestHoldMs = 1_000;
/** Timers are set anew after this time, so that a machine that slept or a clock that was set loses no key. */
const longestTimerMs = 60_000;
/** After work that rejected, which it must not. */
const brokenRetryMs = 30_000;

/**
 * Keys wait at most once and are worked on by one worker at a time; a key added while it is worked on is
 * worked on again. Each key has at most one timer, always for the time that `nextAt` says. A key that is worked
 * on again and again without a pause is held back. The length is bounded by the number of objects.
 */
export class KeyQueue implements AsyncDisposable {
  readonly #options: KeyQueueOptions;
  readonly #waiting = new Map<string, number>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #timers = new Map<string, { at: number; cancel: AbortController }>();
  readonly #paces = new Map<string, Pace>();
  /** Forgotten while they were worked on. */
  readonly #gone = new Set<string>();
  readonly #stop = new AbortController();
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(options: KeyQueueOptions) {
    this.#options = options;
  }

  add(key: string): void {
    if (this.#stop.signal.aborted || this.#waiting.has(key)) return;
    this.#waiting.set(key, this.#options.clock.now());
    this.#options.metrics.added();
    this.rearm(key);
  }

  /** To be called when `nextAt` may have another answer; not needed during the key's own work. */
  rearm(key: string): void {
    if (this.#stop.signal.aborted) return;
    // Done at the end of the work.
    if (this.#running.has(key)) return;
    const { clock, nextAt } = this.#options;
    const now = clock.now();
    const heldUntil = this.#paces.get(key)?.heldUntil ?? 0;
    const asked = this.#waiting.has(key) ? now : nextAt(key);
    if (asked === undefined) {
      this.#cancel(key);
      return;
    }
    const at = Math.max(asked, heldUntil);
    if (at > now) {
      this.#setTimer(key, at);
      return;
    }
    this.#cancel(key);
    if (this.#waiting.has(key)) this.#pump();
    else this.add(key);
  }

  /** The key needs no look any more: its object is gone. */
  forget(key: string): void {
    this.#cancel(key);
    this.#waiting.delete(key);
    this.#paces.delete(key);
    if (this.#running.has(key)) this.#gone.add(key);
  }

  /** Resolves when nothing waits and nothing is worked on; keys that are due later do not count. */
  async idle(): Promise<void> {
    if (this.#waiting.size === 0 && this.#running.size === 0) return;
    this.#idle ??= Promise.withResolvers<void>();
    await this.#idle.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("the controller stops"));
    this.#waiting.clear();
    for (const key of [...this.#timers.keys()]) this.#cancel(key);
    await Promise.all(this.#running.values());
    this.#settleIdle();
  }

  #cancel(key: string): void {
    this.#timers.get(key)?.cancel.abort();
    this.#timers.delete(key);
  }

  #setTimer(key: string, at: number): void {
    if (this.#timers.get(key)?.at === at) return;
    this.#cancel(key);
    const { clock } = this.#options;
    const cancel = new AbortController();
    this.#timers.set(key, { at, cancel });
    const waitMs = Math.min(longestTimerMs, at - clock.now());
    clock.sleep(waitMs, cancel.signal).then(
      () => {
        if (cancel.signal.aborted) return;
        this.#timers.delete(key);
        this.rearm(key);
      },
      () => undefined,
    );
  }

  #pump(): void {
    const { concurrency, clock, metrics } = this.#options;
    const now = clock.now();
    for (const [key, since] of this.#waiting) {
      if (this.#running.size >= concurrency) break;
      if (this.#running.has(key) || (this.#paces.get(key)?.heldUntil ?? 0) > now) continue;
      this.#waiting.delete(key);
      metrics.started(now - since);
      this.#running.set(key, this.#work(key));
    }
    metrics.depth(this.#waiting.size, this.#running.size);
  }

  async #work(key: string): Promise<void> {
    const { clock, metrics, work, log } = this.#options;
    const started = clock.now();
    // Lets #running hold this promise before the work can end.
    await Promise.resolve();
    let broken = false;
    try {
      await work(key, this.#stop.signal);
    } catch (err) {
      broken = !this.#stop.signal.aborted;
      if (broken) log.error({ key, err }, "the work on an object broke off");
    }
    metrics.finished(clock.now() - started);
    this.#running.delete(key);
    if (!this.#gone.delete(key)) this.#keepPace(key, { started, broken });
    if (this.#waiting.size === 0 && this.#running.size === 0) this.#settleIdle();
    this.rearm(key);
    this.#pump();
  }

  #keepPace(key: string, { started, broken }: { started: number; broken: boolean }): void {
    const { clock, log } = this.#options;
    const now = clock.now();
    const before = this.#paces.get(key);
    const paused = before === undefined || started - Math.max(before.endedAt, before.heldUntil) >= pauseMs;
    const pace = { runs: paused ? 1 : before.runs + 1, endedAt: now, heldUntil: 0 };
    this.#paces.set(key, pace);
    if (broken) {
      this.#waiting.set(key, this.#waiting.get(key) ?? now);
      pace.heldUntil = now + brokenRetryMs;
    }
    const beyond = pace.runs - freeRuns;
    if (beyond <= 0) return;
    if (beyond === 1)
      log.warn(
        { key, runs: pace.runs },
        "this object was worked on again and again without a pause: it is held back from now on",
      );
    const holdMs = Math.min(longestHoldMs, firstHoldMs * 2 ** Math.min(beyond - 1, 10));
    pace.heldUntil = Math.max(pace.heldUntil, now + holdMs);
  }

  #settleIdle(): void {
    this.#idle?.resolve();
    this.#idle = undefined;
  }
}
