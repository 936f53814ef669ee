import { watch } from "node:fs/promises";
import type { Clock } from "@capstan/flow";

/** Editors and kubelets write in several steps. */
const quietMs = 50;

/** Calls back, once per burst, when something in a folder may have changed, until aborted. */
export async function watchFolder(
  folder: string,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
  onChange: () => Promise<void>,
): Promise<void> {
  const changes = watch(folder, { signal, persistent: false });
  let handled: Promise<void> | undefined;
  try {
    for await (const _change of changes) {
      handled ??= clock.sleep(quietMs, signal).then(() => {
        handled = undefined;
        return onChange();
      });
      handled.catch(() => undefined);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
