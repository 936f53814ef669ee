import { parseDuration, parseTime } from "@capstan/formats";
import type { Operation, OperationState, RetryStrategy } from "@capstan/model";

const defaultDurationMs = 5000;
const defaultMaxMs = 180_000;
const defaultFactor = 2;

/** min(max, duration·factor^count) (v1alpha1 RetryStrategy.NextRetryAt). */
export function retryDelayMs(retry: RetryStrategy | undefined, count: number): number {
  const { duration, factor, maxDuration } = retry?.backoff ?? {};
  const first = parseDuration(duration ?? "") ?? defaultDurationMs;
  const most = parseDuration(maxDuration ?? "") ?? defaultMaxMs;
  return Math.min(most, first * (factor ?? defaultFactor) ** count);
}

/** Whether a failed operation is tried again; a negative limit has no end. */
export function mayRetry({ retry }: Operation, count: number): boolean {
  const limit = retry?.limit ?? 0;
  return limit < 0 || count < limit;
}

/** When the next attempt of a failed operation is due, in milliseconds since the epoch. */
export function retryAtMs(state: OperationState): number | undefined {
  const finished = parseTime(state.finishedAt);
  if (finished === undefined) return undefined;
  return finished + retryDelayMs(state.operation.retry, state.retryCount ?? 0);
}

export interface SelfHealBackoff {
  firstMs: number;
  factor: number;
  maxMs: number;
}

/** Defaults of --self-heal-backoff-*. */
export const defaultSelfHealBackoff: SelfHealBackoff = { firstMs: 2000, factor: 3, maxMs: 300_000 };

/** How long after the last attempt the next self-heal may begin; the first comes at once. */
export function selfHealDelayMs(attempts: number, backoff: SelfHealBackoff = defaultSelfHealBackoff): number {
  if (attempts <= 0) return 0;
  return Math.min(backoff.maxMs, backoff.firstMs * backoff.factor ** (attempts - 1));
}
