/**
 * Thrown where a request cannot go on without an answer from outside. What is written is decided in one turn of the
 * event loop, so that nothing changes between what was read and what is stored: so the answer is fetched, and the
 * whole is done again with it.
 */
export class Pending extends Error {
  readonly fetch: (signal: AbortSignal) => Promise<void>;

  constructor(fetch: (signal: AbortSignal) => Promise<void>) {
    super("an answer from outside is waited for");
    this.fetch = fetch;
  }
}

/** More answers for one request, and it is given up: each may take thirty seconds. */
const mostRounds = 100;

/** Does it until nothing is waited for any more. `again` puts back what the last time left behind. */
export async function untilKnown<Value>(
  run: () => Value | Promise<Value>,
  { signal, again = () => undefined }: { signal: AbortSignal; again?: () => void },
): Promise<Value> {
  for (let round = 0; ; round += 1)
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof Pending) || round >= mostRounds) throw error;
      signal.throwIfAborted();
      await error.fetch(signal);
      again();
    }
}
