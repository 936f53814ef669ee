import type { Clock } from "@capstan/flow";

const lookMs = 500;

/**
 * Calls `stop` when the program that started this one has ended, where that means the end of this one too. The
 * launcher of bin/capstan.js holds a channel, which its end closes however it ends, kill -9 included. npm passes
 * SIGTERM to its shell only, which ends without a word to what runs in it: then the parent is another one.
 */
export function whenLauncherEnds(
  stop: () => void,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): void {
  if (process.channel) {
    process.once("disconnect", stop);
    process.channel.unref();
  }
  if (process.env.npm_lifecycle_event !== undefined)
    void untilOtherParent({ clock, signal }).then(stop, () => undefined);
}

async function untilOtherParent({ clock, signal }: { clock: Clock; signal: AbortSignal }): Promise<void> {
  // Each sleep takes its listener from a signal: that of a whole program has hundreds, which are gone through.
  const own = AbortSignal.any([signal]);
  const parent = process.ppid;
  while (process.ppid === parent) await clock.sleep(lookMs, own);
}
