import type { Clock } from "@capstan/flow";
import { whenLauncherEnds } from "./launcher-ends.ts";

const impatienceMs = 1_000;
const endings = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The wish that this process ends, by a signal or because the program that started it has ended. */
export interface StopRequest {
  /** Aborted by the wish, or by `end`. */
  readonly signal: AbortSignal;
  /** Whether an error comes of the wish alone: what was under way fails for no other reason then. */
  isReasonOf(error: unknown): boolean;
  /** What is done first once the wish is there, and before the signal is aborted. */
  before(work: () => Promise<void>): void;
  /** Nobody asked, but what began has to end. */
  end(): void;
}

/** Follows the signals that end a program; SIGHUP: the terminal was closed. A later one again ends it at once. */
export function followStopSignals(clock: Clock, tell: () => void): StopRequest {
  const stopping = new AbortController();
  const { signal } = stopping;
  const reason = new Error("stopped");
  let asked: number | undefined;
  let first: (() => Promise<void>) | undefined;
  const stop = (): void => {
    // A terminal's Ctrl-C arrives twice, from the terminal and passed on by the launcher: only a later one is impatience.
    if (asked !== undefined && clock.now() - asked > impatienceMs) process.exit(130);
    if (asked !== undefined) return;
    asked = clock.now();
    tell();
    const end = () => stopping.abort(reason);
    if (first === undefined) end();
    else void first().catch(console.error).finally(end);
  };
  for (const name of endings) process.on(name, stop);
  whenLauncherEnds(stop, { clock, signal });
  const comesOfStop = (error: unknown): boolean => {
    if (error === reason) return true;
    if (error instanceof SuppressedError) return comesOfStop(error.error) && comesOfStop(error.suppressed);
    if (error instanceof AggregateError) return error.errors.every(comesOfStop);
    return error instanceof Error && (error.name === "AbortError" || comesOfStop(error.cause));
  };
  return {
    signal,
    isReasonOf: (error) => asked !== undefined && comesOfStop(error),
    before: (work) => {
      first = work;
    },
    end: () => stopping.abort(reason),
  };
}
