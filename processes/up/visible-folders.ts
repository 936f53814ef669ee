import { lstat, readFile, realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isWithin } from "@capstan/plugin-kit";
import type { UpOptions } from "./options.ts";
import { samplesFolder } from "./samples.ts";

const maxPointerBytes = 4_096;
/** What no repository is, whatever lies there. */
const ofSystem = ["/proc", "/sys", "/dev", "/run", "/etc", "/boot"];

/**
 * Folders that the repo server must see for a repository on this machine: that of the repository, which must be one of
 * git, and nothing of Capstan's own data but its samples.
 */
export async function visibleFolders(
  folder: string,
  { dataDir, kubeconfig, allowFolders }: Pick<UpOptions, "dataDir" | "kubeconfig" | "allowFolders">,
): Promise<string[]> {
  const real = await realpath(folder).catch(() => undefined);
  if (real === undefined) return [];
  const found = await gitFolders(real);
  const [data, samples] = [
    await realpath(dataDir),
    await realpath(samplesFolder({ dataDir })).catch(() => ""),
  ];
  const listed = await Promise.all(allowFolders.map((one) => realpath(one).catch(() => one)));
  const isListed = (one: string) => kubeconfig === undefined || listed.some((all) => isWithin(all, one));
  const isAllowed = found.every((one) => {
    if (ofSystem.some((system) => isWithin(system, one)) || isWithin(one, data)) return false;
    const isSample = samples !== "" && isWithin(samples, one);
    return isSample || (!isWithin(data, one) && isListed(one));
  });
  // What is no repository of git is not shown: of an empty list everything would be true.
  return found.length > 0 && isAllowed ? [...new Set([resolve(folder), ...found])] : [];
}

async function gitFolders(folder: string): Promise<string[]> {
  if ((await isFolder(join(folder, "objects"))) && (await isThere(join(folder, "HEAD")))) return [folder];
  const git = join(folder, ".git");
  if (await isFolder(git)) return [folder];
  const common = await commonFolder(git);
  return common === undefined ? [] : [folder, common];
}

/** Of a worktree: its repository's folder, which must know the worktree (gitrepository-layout(5)). */
async function commonFolder(git: string): Promise<string | undefined> {
  const [, target = ""] = /^gitdir: (.+)$/m.exec(await readPointer(git)) ?? [];
  if (target === "") return undefined;
  const own = resolve(git, "..", target);
  const back = (await readPointer(join(own, "gitdir"))).trim();
  const common = (await readPointer(join(own, "commondir"))).trim();
  if (back !== git || common === "") return undefined;
  return realpath(resolve(own, common)).catch(() => undefined);
}

async function readPointer(file: string): Promise<string> {
  const found = await lstat(file).catch(() => undefined);
  return found?.isFile() && found.size <= maxPointerBytes ? readFile(file, "utf8") : "";
}

async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isDirectory() === true;
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}
