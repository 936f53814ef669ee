import { Worker } from "node:worker_threads";
import { goRegexp } from "../go-regexp/go-regexp.ts";
import type { FunctionContext } from "../kpt/function.ts";
import type { MatchAnswer, MatchRequest } from "./match-worker.ts";

const limitMs = 10_000;

/** What a regular expression of Go finds in each value; rejects where it is none or takes too long. */
export async function matchValues(
  pattern: string,
  values: readonly string[],
  { signal, clock }: Pick<FunctionContext, "signal" | "clock">,
): Promise<MatchAnswer> {
  // Throws what is wrong with it before a thread is started.
  const { source, flags } = goRegexp(pattern);
  const done = new AbortController();
  const worker = new Worker(new URL("./match-worker.ts", import.meta.url), {
    workerData: { source, flags, values } satisfies MatchRequest,
    resourceLimits: { maxOldGenerationSizeMb: 128 },
    env: {},
  });
  try {
    const answer = new Promise<MatchAnswer>((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
    });
    const late = clock.sleep(limitMs, AbortSignal.any([signal, done.signal])).then(() => {
      throw new Error(
        `the regular expression ${JSON.stringify(pattern)} took more than ${limitMs / 1_000} s; make it simpler`,
      );
    });
    return await Promise.race([answer, late]);
  } finally {
    done.abort(new Error("the match ended"));
    await worker.terminate();
  }
}
