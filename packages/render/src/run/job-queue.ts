import { type Clock, Limiter, type LimiterOptions } from "@capstan/flow";
import { CapstanError } from "@capstan/model";

export interface JobQueueOptions extends Pick<LimiterOptions, "onChange"> {
  name: string;
  concurrency: number;
  /** How many may wait. */
  limit: number;
  clock: Clock;
}

/** A limiter whose jobs are told how long they waited. */
export class JobQueue {
  readonly #clock: Clock;
  readonly #limiter: Limiter;

  constructor({ name, concurrency, limit, clock, ...options }: JobQueueOptions) {
    const full = () => new CapstanError({ code: "QUEUE_FULL", queue: name, limit });
    this.#clock = clock;
    this.#limiter = new Limiter({ ...options, atOnce: concurrency, maxWaiting: limit, full });
  }

  run<Value>(job: (waitedMs: number) => Promise<Value>, signal: AbortSignal): Promise<Value> {
    const asked = this.#clock.now();
    return this.#limiter.run(() => job(this.#clock.now() - asked), signal);
  }
}
