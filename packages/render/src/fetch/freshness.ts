import type { RevisionRequest } from "@capstan/wire";

/** How recent an answer of a remote about its revisions has to be. */
export type Freshness = Pick<RevisionRequest, "noRevisionCache" | "revisionNotBefore">;

/** What does not exist is asked for again when the answer is older: it may have been pushed just now. */
const missingKeptMs = 3_000;

/** The remote must have been asked at this time or later. */
export function askedSince(
  { noRevisionCache = false, revisionNotBefore = Number.NEGATIVE_INFINITY }: Freshness,
  { now, keepMs }: { now: number; keepMs: number },
): number {
  // Strictly later than what is kept: with nothing kept counts only what is asked from now on.
  if (noRevisionCache) return now;
  return Math.min(now, Math.max(revisionNotBefore, now - keepMs));
}

/** What to ask again with when something was not found in an answer; undefined: the answer was as good as new. */
export function freshnessForMissing(askedAt: number, now: number): Freshness | undefined {
  return askedAt >= now - missingKeptMs ? undefined : { revisionNotBefore: now - missingKeptMs };
}
