import { type Clock, growingPause } from "@capstan/flow";
import { type OutboundAnswer, readRetryAfter } from "@capstan/outbound";
import { AnswerError } from "./answer-error.ts";

interface Again {
  /** After the first attempt. */
  readonly retries: number;
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A server may not hold up the messages to all others for longer. */
const longestObeyedMs = 60_000;

/**
 * Asks until there is an answer that says something about the request: again where the server cannot be reached or
 * answers 429 or 5xx but 501, after a pause that doubles, or as long as its Retry-After says
 * (hashicorp/go-retryablehttp DefaultRetryPolicy, DefaultBackoff).
 */
export async function askAgain(
  ask: () => Promise<OutboundAnswer>,
  { retries, firstPauseMs, longestPauseMs, clock, signal }: Again,
): Promise<OutboundAnswer> {
  for (let attempt = 0; ; attempt++) {
    const answer = await ask().catch((error: unknown) => {
      signal.throwIfAborted();
      if (attempt === retries || isForGood(error)) throw error;
    });
    if (answer && !isPassing(answer.status)) return answer;
    if (answer && attempt === retries) throw new AnswerError(answer);
    const pauseMs = growingPause(attempt + 1, { firstMs: firstPauseMs, longestMs: longestPauseMs });
    await clock.sleep((answer && retryAfterMs(answer, clock)) ?? pauseMs, signal);
  }
}

const isPassing = (status: number): boolean => status === 429 || (status >= 500 && status !== 501);

/** A certificate that is not trusted today is not trusted in a second, nor is an address of this machine allowed. */
function isForGood(error: unknown): boolean {
  const text = error instanceof Error ? error.message : "";
  return /certificate|is not followed|no address of HTTP|is no URL/i.test(text);
}

/** What a busy server asks for, in ms; nothing where it does not say. */
export function retryAfterMs(
  { status, headers }: OutboundAnswer,
  clock: Pick<Clock, "now">,
): number | undefined {
  const ms =
    status === 429 || status === 503 ? readRetryAfter(headers["retry-after"], clock.now()) : undefined;
  return ms === undefined ? undefined : Math.min(ms, longestObeyedMs);
}
