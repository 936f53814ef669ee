import { setTimeout as sleep } from "node:timers/promises";

export { systemClock as realClock } from "@capstan/flow";

/** Asks again and again until `probe` gives something, which `false` is not; fails with what `describe` says. */
export async function eventually<T>(
  probe: () => Promise<T | undefined> | T | undefined,
  { signal, describe }: { signal: AbortSignal; describe: () => string },
): Promise<T> {
  for (;;) {
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    if (signal.aborted) throw new Error(describe());
    await sleep(50);
  }
}
