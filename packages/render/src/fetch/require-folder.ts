import { isAbsolute, resolve } from "node:path";
import { CapstanError, folderOf, type LocalFolders, withoutUserinfo } from "@capstan/model";
import { judgeFolder } from "@capstan/plugin-kit";

/**
 * Refuses a repository on this machine that applications may not use, wherever links, a `.git` file or borrowed
 * objects lead. What goes over the network is not looked at.
 */
export async function requireFolder(url: string, folders: LocalFolders): Promise<void> {
  const folder = folderOf(url);
  if (folder === undefined) return;
  const refused = (reason: string) => {
    const problem = `${withoutUserinfo(url)} ${reason}`;
    return new CapstanError({ code: "INVALID_ARGUMENT", field: "source.repoURL", problem });
  };
  if (!isAbsolute(folder)) throw refused("is no URL of a repository: a folder is written file:///PATH");
  const { verdict } = await judgeFolder(folder, folders);
  if (verdict === "own data") throw refused("is Capstan's own data, which no application gets");
  if (verdict === "other")
    throw refused(
      `is a folder of the machine that Capstan runs on, which applications may not use. Its operator can permit it by --allow-folder ${resolve(folder)} (or CAPSTAN_ALLOW_FOLDERS)`,
    );
}
