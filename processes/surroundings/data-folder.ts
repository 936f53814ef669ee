import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "@capstan/cli/record";

/** One process at a time owns a data folder. The lock names its process, so that one left by a kill -9 is seen through. */
export async function lockDataFolder(dataDir: string): Promise<AsyncDisposable> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, "lock");
  for (let attempt = 0; attempt < 3; attempt += 1) {
    try {
      const file = await open(path, "wx", 0o600);
      await file.writeFile(String(process.pid));
      await file.close();
      return { [Symbol.asyncDispose]: () => rm(path, { force: true }) };
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
    const owner = Number(await readFile(path, "utf8").catch(() => ""));
    if (owner > 0 && owner !== process.pid && isAlive(owner))
      throw new UsageError(
        `${dataDir} is in use by process ${owner}: stop it, or give another folder with --data`,
      );
    await rm(path, { force: true });
  }
  throw new UsageError(`${path} cannot be locked: another start is under way`);
}

/** A process that has ended and that nobody has waited for, as in a container without an init, is not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
  return !/^\d+ \(.*\) Z/s.test(statusOf(pid));
}

/** proc_pid_stat(5); "" where there is no /proc. */
function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return "";
  }
}

/** Whole or not at all, also when killed in between. */
export async function writeWhole(path: string, text: string, mode = 0o600): Promise<void> {
  const partial = `${path}.${process.pid}.part`;
  await writeFile(partial, text, { mode });
  await rename(partial, path);
}

/** The admin's password: made on the first start, kept readable by the owner alone. */
export async function adminPassword(dataDir: string): Promise<string> {
  const path = join(dataDir, "admin-password");
  // What the command line has found of an earlier one (packages/cli/src/client/local-password.ts).
  await rm(`${path}.refused`, { force: true });
  const kept = await readFile(path, "utf8").catch(() => "");
  if (kept.trim() !== "") return kept.trim();
  const made = randomBytes(12).toString("base64url");
  await writeWhole(path, `${made}\n`);
  return made;
}
