import { growingPause } from "@capstan/flow";
import type { Io } from "../io.ts";
import type { Fetch } from "./create-api.ts";

const pauses = { firstMs: 1_000, longestMs: 30_000 };
const notOurFault = new Set([429, 502, 503, 504]);

/** Asks again what did not get through; what may have changed something is asked again only where no connection was made. */
export function retryingFetch(
  direct: Fetch,
  { io, retries }: { io: Pick<Io, "clock" | "signal">; retries: number },
): Fetch {
  return async (url, init) => {
    for (let failures = 0; ; failures += 1) {
      const isLast = failures >= retries;
      try {
        const answer = await direct(url, init);
        if (isLast || init.method !== "GET" || !notOurFault.has(answer.status)) return answer;
        await answer.body?.cancel();
      } catch (error) {
        if (isLast || init.signal.aborted || !(init.method === "GET" || isUnconnected(error))) throw error;
      }
      await io.clock.sleep(growingPause(failures + 1, pauses), init.signal);
    }
  };
}

function isUnconnected(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  const inner = cause instanceof AggregateError ? cause.errors[0] : cause;
  const code = inner instanceof Error && "code" in inner ? inner.code : undefined;
  return code === "ECONNREFUSED" || code === "ENOTFOUND" || code === "EAI_AGAIN";
}
