import { isAbsolute, resolve } from "node:path";
import { CapstanError, folderOf, type LocalFolders, withoutUserinfo } from "@capstan/model";
import { judgeFolder } from "./judge-folder.ts";

/**
 * Refuses a repository on this machine that applications may not use, wherever links, a `.git` file or borrowed
 * objects lead. What goes over the network is not looked at. Returns what must be seen of the disk to fetch from it.
 */
export async function requireFolder(url: string, folders: LocalFolders): Promise<readonly string[]> {
  const folder = absoluteFolderOf(url);
  if (folder === undefined) return [];
  const { verdict, places } = await judgeFolder(folder, folders);
  if (verdict === "own data") throw refused(url, "is Capstan's own data, which no application gets");
  if (verdict === "other")
    throw refused(
      url,
      `is a folder of the machine that Capstan runs on, which applications may not use. Its operator can permit it by --allow-folder ${resolve(folder)} (or CAPSTAN_ALLOW_FOLDERS)`,
    );
  return places;
}

/** The folder of a repository on this machine; undefined of what goes over the network. */
export function absoluteFolderOf(url: string): string | undefined {
  const folder = folderOf(url);
  if (folder !== undefined && !isAbsolute(folder))
    throw refused(url, "is no URL of a repository: a folder is written file:///PATH");
  return folder;
}

function refused(url: string, reason: string): CapstanError {
  const problem = `${withoutUserinfo(url)} ${reason}`;
  return new CapstanError({ code: "INVALID_ARGUMENT", field: "source.repoURL", problem });
}
