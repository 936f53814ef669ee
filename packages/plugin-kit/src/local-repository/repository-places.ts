import { lstat, readFile, realpath, stat } from "node:fs/promises";
import { join, normalize, resolve } from "node:path";

const maxAlternates = 20;
const maxFileBytes = 2 ** 20;

/** A repository of this machine, as git finds it (gitrepository-layout(5)). */
export interface RepositoryPlaces {
  /** Real paths of everything that git reads for it; undefined where that cannot be told. */
  readonly places: readonly string[] | undefined;
  /**
   * It is one, and nothing in it sends git to where no repository is: a worktree's own knows the worktree, and what
   * lends objects is an object store.
   */
  readonly isWhole: boolean;
}

/** Of a folder that is there, by its real path. */
export async function findPlaces(folder: string): Promise<RepositoryPlaces> {
  const { git, isKnown } = await gitFolder(folder);
  const shared = await readLine(join(git, "commondir"));
  const common = shared === undefined ? git : resolve(git, shared);
  const own = [folder, git, common, join(common, "objects"), join(common, "refs")];
  const lenders = await lendersOf(join(common, "objects"));
  if (lenders === undefined) return { places: undefined, isWhole: false };
  const stores = await Promise.all(lenders.map(isObjectStore));
  return {
    places: await realPaths([...own, ...lenders]),
    isWhole: isKnown && (await isRepository(common)) && stores.every(Boolean),
  };
}

/** `.git` below the folder, what a `.git` file names, or the folder itself. */
async function gitFolder(folder: string): Promise<{ git: string; isKnown: boolean }> {
  const inner = join(folder, ".git");
  const found = await stat(inner).catch(() => undefined);
  if (!found) return { git: folder, isKnown: (await readLine(join(folder, "commondir"))) === undefined };
  if (found.isDirectory()) return { git: inner, isKnown: true };
  const named = /^gitdir: (.*)$/m.exec(await readSmall(inner))?.[1];
  if (named === undefined) return { git: folder, isKnown: false };
  const git = resolve(folder, named);
  return { git, isKnown: (await readLine(join(git, "gitdir"))) === inner };
}

/** Object stores that it borrows from, and these from others; undefined: so long a chain is nobody's. */
async function lendersOf(objects: string): Promise<string[] | undefined> {
  const found = new Set<string>();
  const pending = [objects];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const store = next;
    const borrowed = await readSmall(join(store, "info", "alternates"));
    const lines = borrowed.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    for (const lender of lines.map((line) => resolve(store, line.replace(/^"|"$/g, "")))) {
      if (found.size >= maxAlternates) return undefined;
      if (found.has(lender) || lender === objects) continue;
      found.add(lender);
      pending.push(lender);
    }
  }
  return [...found];
}

async function isRepository(git: string): Promise<boolean> {
  return (
    (await isFolder(join(git, "objects"))) &&
    (await lstat(join(git, "HEAD")).catch(() => undefined)) !== undefined
  );
}

async function isObjectStore(folder: string): Promise<boolean> {
  return (await isFolder(join(folder, "pack"))) && (await isRepository(resolve(folder, "..")));
}

async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isDirectory() === true;
}

async function readLine(file: string): Promise<string | undefined> {
  const [line = ""] = (await readSmall(file)).split("\n");
  return line === "" ? undefined : line;
}

async function readSmall(file: string): Promise<string> {
  const found = await stat(file).catch(() => undefined);
  return found?.isFile() && found.size <= maxFileBytes ? readFile(file, "utf8").catch(() => "") : "";
}

function realPaths(paths: readonly string[]): Promise<string[]> {
  return Promise.all(paths.map((path) => realpath(path).catch(() => normalize(path))));
}
