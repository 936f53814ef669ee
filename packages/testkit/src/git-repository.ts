import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { commitFiles } from "./commit-files.ts";

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

/**
 * What `git init` makes for a work tree (gitrepository-layout(5)), as far as anything reads it: a program is started for
 * nothing, and tests make repositories by the hundred. `settings` are lines of its config file.
 */
export function layOutRepository(dir: string, settings = ""): void {
  const own = join(dir, ".git");
  for (const folder of ["hooks", "info", "objects/info", "objects/pack", "refs/heads", "refs/tags"])
    mkdirSync(join(own, folder), { recursive: true });
  writeFileSync(join(own, "HEAD"), "ref: refs/heads/main\n");
  const core =
    "[core]\nrepositoryformatversion = 0\nfilemode = true\nbare = false\nlogallrefupdates = true\n";
  // Else each commit starts another two programs, which find nothing to do.
  writeFileSync(join(own, "config"), `${core}[maintenance]\nauto = false\n${settings}`);
}

function gitIn(dir: string): Omit<GitRepository, typeof Symbol.asyncDispose> {
  const running = { cwd: dir, env: environment };
  const git = async (...args: string[]): Promise<string> => {
    const { stdout } = await run("git", args, { ...running, maxBuffer: 16 * 1024 * 1024 });
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
    return commitFiles(dir, message, environment);
  };
  return { dir, url: pathToFileURL(dir).href, git, commit };
}

export async function createGitRepository(files: Files = {}, settings = ""): Promise<GitRepository> {
  const repository = gitIn(await mkdtemp(join(tmpdir(), "capstan-git-")));
  layOutRepository(repository.dir, settings);
  if (Object.keys(files).length > 0) await repository.commit(files, "first");
  const dispose = () => rm(repository.dir, { recursive: true, force: true });
  return { ...repository, [Symbol.asyncDispose]: dispose };
}
