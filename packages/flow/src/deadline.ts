import type { Clock } from "./clock.ts";

export interface Within {
  readonly clock: Pick<Clock, "sleep">;
  readonly signal: AbortSignal;
  readonly ms: number;
  /** Why it is too late: the signal's reason then. */
  readonly late: () => unknown;
}

/** Said once for all: without a reason each end would make one of its own, with the calls that led to it. */
const workIsOver = new Error("the work is over");

/** A signal that also aborts when the time is up. To be disposed of when the work is over. */
export function deadline({ clock, signal, ms, late }: Within): Disposable & { readonly signal: AbortSignal } {
  const over = new AbortController();
  const ended = new AbortController();
  clock.sleep(ms, AbortSignal.any([signal, ended.signal])).then(
    () => over.abort(late()),
    () => undefined,
  );
  return { signal: AbortSignal.any([signal, over.signal]), [Symbol.dispose]: () => ended.abort(workIsOver) };
}
