import { access, mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { GitProgram, GitRun } from "./git-program.ts";

/** An empty bare repository; there is none of it before it is whole. */
export async function createBare(
  dir: string,
  git: GitProgram,
  { signal, timeoutMs }: Pick<GitRun, "signal" | "timeoutMs">,
): Promise<void> {
  const fresh = `${dir}.new`;
  await rm(fresh, { recursive: true, force: true });
  await rm(dir, { recursive: true, force: true });
  await mkdir(fresh, { recursive: true });
  await git.run(["init", "--quiet", "--bare", "--template=", "."], { cwd: fresh, signal, timeoutMs });
  await rename(fresh, dir);
}

/** What a git that was killed leaves behind: locks that would stop the next one, and halves of packs. */
export async function removeLeftovers(dir: string): Promise<void> {
  const leftover = /(\.lock|(^|\/)tmp_(obj|pack|idx|rev)_[^/]*)$/;
  const names = await readdir(dir, { recursive: true });
  await Promise.all(
    names.filter((name) => leftover.test(name)).map((name) => rm(join(dir, name), { force: true })),
  );
}

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
