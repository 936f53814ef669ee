import { existsSync } from "node:fs";
import { readdir, watch } from "node:fs/promises";
import { join } from "node:path";
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

/** The same for a folder and the folders in it, whichever there are. */
export async function watchFolders(
  folder: string,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
  onChange: () => Promise<void>,
): Promise<void> {
  const watched = new Set<string>();
  const watchInner = async (): Promise<void> => {
    for (const item of await readdir(folder, { withFileTypes: true })) {
      if (!item.isDirectory() || item.name.startsWith(".") || watched.has(item.name)) continue;
      watched.add(item.name);
      // One that is deleted, and made again, is watched again.
      void watchFolder(join(folder, item.name), { clock, signal }, async () => {
        if (!existsSync(join(folder, item.name))) watched.delete(item.name);
        await onChange();
      }).catch(() => watched.delete(item.name));
    }
  };
  await watchInner();
  await watchFolder(folder, { clock, signal }, async () => {
    await watchInner();
    await onChange();
  });
}
