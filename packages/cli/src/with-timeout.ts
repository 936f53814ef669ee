import { ExitError } from "./command.ts";
import type { Io } from "./io.ts";

/** Ends the wait after a time; 0 and nothing mean no limit. */
export async function withTimeout<T>(
  io: Pick<Io, "clock" | "signal">,
  timeoutMs: number | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (!timeoutMs) return work(io.signal);
  const over = new AbortController();
  const done = new AbortController();
  const either = AbortSignal.any([io.signal, over.signal]);
  io.clock.sleep(timeoutMs, AbortSignal.any([io.signal, done.signal])).then(
    () => over.abort(new ExitError(`timed out (${timeoutMs / 1000}s)`, 20)),
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
