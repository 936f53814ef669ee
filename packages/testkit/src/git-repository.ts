import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

const environment = {
  ...process.env,
  GIT_AUTHOR_NAME: "Test",
  GIT_AUTHOR_EMAIL: "test@example.com",
  GIT_COMMITTER_NAME: "Test",
  GIT_COMMITTER_EMAIL: "test@example.com",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
};

export type Files = Readonly<Record<string, string | Uint8Array | undefined>>;

/** A real git repository in a folder of its own, removed at the end. */
export interface GitRepository extends AsyncDisposable {
  readonly dir: string;
  readonly url: string;
  git(...args: string[]): Promise<string>;
  /** Writes the files (undefined deletes one) and commits; gives the commit's id. */
  commit(files: Files, message?: string): Promise<string>;
}

/** A repository that is there already; not removed at the end. */
export function openGitRepository(dir: string): Omit<GitRepository, typeof Symbol.asyncDispose> {
  const git = async (...args: string[]): Promise<string> => {
    const { stdout } = await run("git", args, { cwd: dir, env: environment, maxBuffer: 16 * 1024 * 1024 });
    return stdout.trim();
  };
  const commit = async (changed: Files, message = "change"): Promise<string> => {
    for (const [name, content] of Object.entries(changed)) {
      const path = join(dir, name);
      if (content === undefined) {
        await rm(path, { recursive: true, force: true });
        continue;
      }
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    }
    await git("add", "--all");
    await git("commit", "--quiet", "--allow-empty", `--message=${message}`);
    return git("rev-parse", "HEAD");
  };
  return { dir, url: pathToFileURL(dir).href, git, commit };
}

export async function createGitRepository(files: Files = {}): Promise<GitRepository> {
  const repository = openGitRepository(await mkdtemp(join(tmpdir(), "capstan-git-")));
  await repository.git("init", "--quiet", "--initial-branch=main");
  if (Object.keys(files).length > 0) await repository.commit(files, "first");
  const dispose = () => rm(repository.dir, { recursive: true, force: true });
  return { ...repository, [Symbol.asyncDispose]: dispose };
}
