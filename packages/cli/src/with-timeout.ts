import { deadline, orAborted } from "@capstan/flow";
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
  const late = () => {
    const state = describe?.() ?? "";
    return new ExitError(`timed out (${timeoutMs / 1000}s)${state === "" ? "" : `: ${state}`}`, 20);
  };
  using limited = deadline({ clock: io.clock, signal: io.signal, ms: timeoutMs, late });
  return await orAborted(work(limited.signal), limited.signal);
}
