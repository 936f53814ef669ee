/** How a run over one object ended. One place turns it into a requeue. */
export type Outcome =
  | { kind: "settled" }
  /** Something outside has to move on; looked at again after this time, or when it is told of a change. */
  | { kind: "waiting"; reason: string; retryAfterMs: number }
  /** A person must change something first. */
  | { kind: "stalled"; reason: string }
  | { kind: "failed"; error: unknown };

export const settled: Outcome = { kind: "settled" };
