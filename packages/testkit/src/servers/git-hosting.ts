import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createGitRepository, type Files, type GitRepository } from "../git-repository.ts";

/** A folder of repositories that a server offers as `<name>.git`. */
export interface GitHosting extends AsyncDisposable {
  readonly dir: string;
  /** What is committed in it is served at once; what clients push appears in its folder. */
  createRepository(name: string, files?: Files): Promise<HostedRepository>;
}

export interface HostedRepository extends Omit<GitRepository, typeof Symbol.asyncDispose> {
  /** Where clients find it. */
  readonly url: string;
}

const takingPushes =
  "[http]\nreceivepack = true\n[receive]\ndenyCurrentBranch = updateInstead\nautogc = false\n";

export async function openGitHosting(urlOf: (name: string, dir: string) => string): Promise<GitHosting> {
  const repositories = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "capstan-git-hosting-"));
  repositories.defer(() => rm(dir, { recursive: true, force: true }));
  const createRepository = async (name: string, files: Files = {}): Promise<HostedRepository> => {
    const repository = repositories.use(await createGitRepository(files, takingPushes));
    const link = join(dir, `${name}.git`);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(repository.dir, ".git"), link);
    const { git, commit } = repository;
    return { dir: repository.dir, url: urlOf(name, dir), git, commit };
  };
  return { dir, createRepository, [Symbol.asyncDispose]: () => repositories.disposeAsync() };
}
