import { access, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isCapstanError } from "@capstan/model";
import type { GitHere } from "./fetch-from.ts";
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

/** As git itself keeps it in a copy of createBare's (gitrepository-layout(5), refs), without a program for it. */
export async function writeRef(dir: string, { ref, sha }: { ref: string; sha: string }): Promise<void> {
  const path = join(dir, ref);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.lock`, `${sha}\n`);
  await rename(`${path}.lock`, path);
}

/** The commit that git takes a name or a short id for, of what is here. */
export async function parseRevision(revision: string, run: GitHere): Promise<string | undefined> {
  try {
    const { stdout } = await run(["rev-parse", "--verify", "--quiet", `${revision}^{commit}`]);
    return stdout.toString().trim();
  } catch (error) {
    if (isCapstanError(error, "TOOL_FAILED")) return undefined;
    throw error;
  }
}

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
