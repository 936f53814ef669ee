import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "@capstan/cli/record";
import type { LocalFolders } from "@capstan/model";
import type { UpOptions } from "./options.ts";

/**
 * Folders of this machine that applications may name as repositories: on the embedded cluster, where one person
 * tries things, all that are that person's; elsewhere only those that the operator lists. Never Capstan's own data.
 */
export async function localFolders({ dataDir, kubeconfig, allowFolders }: UpOptions): Promise<LocalFolders> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const own = await realpath(dataDir);
  const listed = await Promise.all(allowFolders.map(readFolder));
  return {
    listed: [...new Set([...listed, ...allowFolders])],
    isOwnPermitted: kubeconfig === undefined,
    closed: [...new Set([own, dataDir])],
    open: [...new Set([join(own, "samples"), join(dataDir, "samples")])],
  };
}

async function readFolder(folder: string): Promise<string> {
  return realpath(folder).catch(() => {
    throw new UsageError(`--allow-folder: ${folder} does not exist`);
  });
}
