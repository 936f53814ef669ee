import { Limiter, type LimiterOptions } from "@capstan/flow";
import { CapstanError } from "@capstan/model";

export interface NamedQueueOptions extends Pick<LimiterOptions, "atOnce" | "onChange"> {
  readonly name: string;
  /** How many may wait; the next fails with QUEUE_FULL, which names the queue. */
  readonly limit: number;
}

export function namedQueue({ name, limit, ...options }: NamedQueueOptions): Limiter {
  const full = () => new CapstanError({ code: "QUEUE_FULL", queue: name, limit });
  return new Limiter({ ...options, maxWaiting: limit, full });
}
