import { randomUUID } from "node:crypto";
import { lstat, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface ClearLimits {
  readonly now: number;
  readonly maxEntries?: number;
  readonly maxBytes?: number;
  /** What this process is using. */
  isHeld?(path: string): boolean;
}

/** Another process may be using what was used just now. */
const keptAtLeastMs = 3_600_000;
const bytesFile = ".capstan-bytes";
const unfinished = ".new";

/**
 * Removes from a folder of folders those that were used longest ago, as the times of their last change tell, until the
 * rest fits; and what ends in `.new`, which a process left that was killed. A folder has its name while it is whole:
 * one that is being removed has none that anybody looks for.
 */
export async function clearUnused(folder: string, limits: ClearLimits): Promise<void> {
  const { now, maxEntries = Infinity, maxBytes = Infinity, isHeld = () => false } = limits;
  const found = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const used = await stat(join(folder, name)).catch(() => undefined);
      return { path: join(folder, name), usedAt: used?.mtimeMs ?? now };
    }),
  );
  let entries = 0;
  let bytes = 0;
  for (const { path, usedAt } of found.sort((one, other) => other.usedAt - one.usedAt)) {
    const isWhole = !path.endsWith(unfinished);
    if (isWhole) entries++;
    if (isWhole && maxBytes < Infinity) bytes += await folderBytes(path);
    const fits = isWhole && entries <= maxEntries && bytes <= maxBytes;
    if (fits || now - usedAt <= keptAtLeastMs || isHeld(path)) continue;
    const gone = isWhole ? `${path}.${randomUUID()}${unfinished}` : path;
    if (isWhole && !(await isRenamed(path, gone))) continue;
    await rm(gone, { recursive: true, force: true });
  }
}

/** Not where another process was faster. */
async function isRenamed(path: string, to: string): Promise<boolean> {
  try {
    await rename(path, to);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
}

/** What the files of a folder take, as it was measured last. */
export async function folderBytes(folder: string): Promise<number> {
  const text = await readFile(join(folder, bytesFile), "utf8").catch(() => "");
  return /^\d+$/.test(text) ? Number(text) : measureFolder(folder);
}

export async function measureFolder(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const found = await lstat(join(entry.parentPath, entry.name)).catch(() => undefined);
    bytes += found?.size ?? 0;
  }
  const { atime, mtime } = await stat(folder);
  await writeFile(join(folder, bytesFile), String(bytes));
  await utimes(folder, atime, mtime);
  return bytes;
}
