import type { Clock } from "./clock.ts";
import { systemClock } from "./system-clock.ts";

/** Characters of a text from which on to read it, and what follows from it, is long work. */
export const longText = 32_768;

/** After a long piece of work others have as much time as it took, up to this. */
const longestPauseMs = 25;
const never = new AbortController().signal;

type OwnTurn = (signal?: AbortSignal) => Promise<void>;

/**
 * Resolves in a turn of the event loop that no other piece of long work has, and not before others have had the loop for
 * as long as the piece before it took: an answer to whoever asks for little needs several turns of the loop, and waits
 * for one long piece, not for one in each of them, however many come at once. Rejects with the signal's reason.
 */
export const ownTurn: OwnTurn = createTurns(systemClock);

export function createTurns(clock: Clock): OwnTurn {
  let last: Promise<void> = Promise.resolve();
  let pieceEnded: Promise<void> = last;
  let othersHaveUntilMs = 0;

  async function turn(): Promise<void> {
    await clock.sleep(0, never);
    await pieceEnded;
    const leftMs = othersHaveUntilMs - clock.now();
    if (leftMs > 0) await clock.sleep(Math.min(leftMs, longestPauseMs), never);
    pieceEnded = measured(clock.now());
  }

  /** The piece has the loop until a timer can fire again. */
  async function measured(givenAtMs: number): Promise<void> {
    await clock.sleep(0, never);
    const nowMs = clock.now();
    othersHaveUntilMs = nowMs + Math.min(nowMs - givenAtMs, longestPauseMs);
  }

  return async (signal) => {
    last = last.then(turn);
    await last;
    signal?.throwIfAborted();
  };
}
