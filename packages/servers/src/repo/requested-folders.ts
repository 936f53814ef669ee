import { isAbsolute, normalize } from "node:path";
import { folderOf } from "@capstan/model";
import type { ManifestRequest } from "@capstan/wire";

/** Folders of this machine that the repositories of a request are in. */
export function requestedFolders({
  repository,
  refSources = {},
  repositories = [],
}: Pick<ManifestRequest, "repository"> &
  Partial<Pick<ManifestRequest, "refSources" | "repositories">>): string[] {
  const all = [repository, ...Object.values(refSources).map((one) => one.repository), ...repositories];
  const folders = all.map(({ url }) => folderOf(url) ?? "").filter((folder) => isAbsolute(folder));
  return [...new Set(folders.map((folder) => normalize(folder)))];
}
