import { resolve } from "node:path";
import type { LocalFolders } from "@capstan/model";
import { judgeFolder } from "@capstan/plugin-kit";

/** What the repo server must see for a repository in a folder of this machine; nothing where it may not be used. */
export async function visibleFolders(folder: string, folders: LocalFolders): Promise<string[]> {
  const { places } = await judgeFolder(folder, folders);
  return places.length === 0 ? [] : [...new Set([resolve(folder), ...places])];
}
