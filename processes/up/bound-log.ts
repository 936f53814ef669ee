import { copyFile, stat, truncate } from "node:fs/promises";
import type { Clock } from "@capstan/flow";
import type { Log } from "@capstan/plugin-kit";

/** In the environment of an `up` in the background: the file that its output goes to. */
export const boundedLogVariable = "CAPSTAN_LOG_FILE";

const maxBytes = 16 * 2 ** 20;
const lookMs = 10_000;

interface Bounded {
  readonly path: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly limitBytes?: number;
}

/**
 * Until the signal: keeps the file of what this process prints below about twice 16 MiB. What is larger goes to
 * `<path>.1`, in the place of what went there before, and the file begins anew; whoever writes it appends.
 */
export async function boundLog(bounded: Bounded): Promise<void> {
  const { clock, signal, log, path } = bounded;
  while (!signal.aborted) {
    await rotate(bounded).catch((error: unknown) =>
      log.warn({ path, error }, "the log cannot be begun anew"),
    );
    await clock.sleep(lookMs, signal).catch(() => undefined);
  }
}

async function rotate({ path, limitBytes = maxBytes }: Bounded): Promise<void> {
  if ((await stat(path)).size <= limitBytes) return;
  await copyFile(path, `${path}.1`);
  await truncate(path);
}
