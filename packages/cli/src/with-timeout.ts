import { ExitError } from "./command.ts";
import type { Io } from "./io.ts";

interface Limit {
  /** 0 and nothing mean no limit. */
  timeoutMs: number | undefined;
  /** Asked when the time is up: how that is which was waited for. */
  describe?: () => string;
}

/** Ends the wait after a time. */
export async function withTimeout<T>(
  io: Pick<Io, "clock" | "signal">,
  { timeoutMs, describe }: Limit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (!timeoutMs) return work(io.signal);
  const over = new AbortController();
  const done = new AbortController();
  const either = AbortSignal.any([io.signal, over.signal]);
  io.clock.sleep(timeoutMs, AbortSignal.any([io.signal, done.signal])).then(
    () => {
      const state = describe?.() ?? "";
      over.abort(new ExitError(`timed out (${timeoutMs / 1000}s)${state === "" ? "" : `: ${state}`}`, 20));
    },
    () => undefined,
  );
  const { promise, reject } = Promise.withResolvers<never>();
  either.addEventListener("abort", () => reject(either.reason), { once: true });
  try {
    return await Promise.race([work(either), promise]);
  } finally {
    done.abort();
  }
}
