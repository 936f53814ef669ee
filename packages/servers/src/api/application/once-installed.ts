import type { Clock } from "@capstan/flow";
import { isCapstanError } from "@capstan/model";

/** A plugin that was started a moment ago has no socket yet: so long after that it is surely there, on a busy machine too. */
const arrivalMs = 3_000;
const pauseMs = 200;

/**
 * A render for somebody who waits for the answer and has perhaps just started the plugin: it is refused for want of it
 * only when it does not come. Loops do not wait: they look again by themselves.
 */
export async function onceInstalled<Value>(
  render: (isFirst: boolean) => Promise<Value>,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<Value> {
  const until = clock.now() + arrivalMs;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await render(isFirst);
    } catch (error) {
      if (!isCapstanError(error, "PLUGIN_MISSING") || clock.now() >= until) throw error;
    }
    await clock.sleep(pauseMs, signal);
  }
}
