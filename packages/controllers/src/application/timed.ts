import { traced } from "@capstan/flow";
import type { ApplicationRun } from "./application-run.ts";

/** Does a step of a run, and remembers how long it took, all times together. */
export async function timed<T>(run: ApplicationRun, step: string, work: () => Promise<T>): Promise<T> {
  const { clock } = run.needs;
  const from = clock.now();
  try {
    return await traced({ name: step }, work);
  } finally {
    const ms = clock.now() - from;
    if (ms > 0) run.timings[step] = (run.timings[step] ?? 0) + ms;
  }
}
