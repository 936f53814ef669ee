/** How a run over one object ended. One place turns it into a requeue. */
export type Outcome =
  | { kind: "settled" }
  /** Something outside has to move on; looked at again after this time, or when it is told of a change. */
  | { kind: "waiting"; reason: string; retryAfterMs: number }
  /** A person must change something first. */
  | { kind: "stalled"; reason: string }
  | { kind: "failed"; error: unknown };

export const settled: Outcome = { kind: "settled" };

const firstRetryMs = 500;
const maxRetryMs = 120_000;

/** Exponential, as controller-runtime's rate limiter, but slower to begin: nothing here is urgent twice. */
export function retryAfterMs(attempt: number): number {
  return Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(attempt, 20));
}
