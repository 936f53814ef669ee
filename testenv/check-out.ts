import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { bin } from "./build-program.ts";
import type { Repository } from "./groups.ts";

const run = promisify(execFile);

/** The one folder at that commit, into a folder of its own; undefined where the repository cannot be reached. */
export async function checkOut({ url, commit, folder }: Repository): Promise<string | undefined> {
  const dir = join(bin, `.source-${commit.slice(0, 12)}`);
  const git = (...args: readonly string[]) => run("git", args, { cwd: dir });
  await rm(dir, { recursive: true, force: true });
  try {
    await run("git", ["init", "--quiet", dir]);
    await git("remote", "add", "origin", url);
    await git("sparse-checkout", "set", "--no-cone", `/${folder}/`);
    await git("fetch", "--quiet", "--depth", "1", "--filter=blob:none", "origin", commit);
    await git("checkout", "--quiet", "FETCH_HEAD");
  } catch (error) {
    console.log(`${url} at ${commit} cannot be had: ${error instanceof Error ? error.message : error}`);
    await rm(dir, { recursive: true, force: true });
    return undefined;
  }
  return join(dir, folder);
}
