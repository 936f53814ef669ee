import { isAbsolute, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import type { ManifestRequest } from "@capstan/wire";

/** Folders of this machine that the repositories of a request are in. */
export function localFolders({
  repository,
  refSources = {},
  repositories = [],
}: Pick<ManifestRequest, "repository"> &
  Partial<Pick<ManifestRequest, "refSources" | "repositories">>): string[] {
  const all = [repository, ...Object.values(refSources).map((one) => one.repository), ...repositories];
  const folders = all.map(({ url }) => localFolder(url)).filter((folder) => folder !== undefined);
  return [...new Set(folders)];
}

function localFolder(url: string): string | undefined {
  if (isAbsolute(url)) return normalize(url);
  if (!/^file:\/\//i.test(url)) return undefined;
  try {
    return normalize(fileURLToPath(url));
  } catch {
    return undefined; // it has a host, or is none: fetching says what is wrong
  }
}
