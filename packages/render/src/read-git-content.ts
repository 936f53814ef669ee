import { matchesFiles, matchesPath, matchesPathspec } from "@capstan/formats";
import { CapstanError } from "@capstan/model";
import { followLinks, type SourceTree, type TreeEntry, walk } from "@capstan/plugin-kit";
import {
  type GitContent,
  type GitContentRequest,
  gitContentLimits,
  isMeantPath,
  objectsInFile,
  refusedContent,
} from "@capstan/wire";

const { maxDirectories, maxFiles, maxBytes, maxFileBytes } = gitContentLimits;

/** What the git generators of ApplicationSets ask for (reposerver GetGitDirectories, GetGitFiles). */
export async function readGitContent(tree: SourceTree, request: GitContentRequest): Promise<GitContent> {
  const { revision } = tree;
  const { directories, files = [], hidden = false, doublestar = false } = request;
  if (directories) {
    const all = await listDirectories(tree, hidden);
    return { revision, directories: all.filter((path) => isMeantPath(directories, path, matchesPath)) };
  }
  const matches = doublestar ? matchesFiles : matchesPathspec;
  const entries = (await walk(tree, "")).filter(
    ({ path, kind }) => kind !== "submodule" && isMeantPath(files, path, matches),
  );
  if (entries.length > maxFiles)
    throw refusedContent(`its patterns match ${entries.length} files: at most ${maxFiles} are read`);
  return { revision, files: await readFiles(tree, entries) };
}

/** The root is none of them. */
async function listDirectories(tree: SourceTree, hidden: boolean): Promise<string[]> {
  const found: string[] = [];
  const waiting = [""];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const { path, name, kind } of await tree.list(next)) {
      if ((kind !== "directory" && kind !== "submodule") || (!hidden && name.startsWith("."))) continue;
      found.push(path);
      if (kind === "directory") waiting.push(path);
    }
    if (found.length > maxDirectories)
      throw refusedContent(`it holds more than ${maxDirectories} directories`);
  }
  return found.sort();
}

async function readFiles(
  tree: SourceTree,
  entries: readonly TreeEntry[],
): Promise<NonNullable<GitContent["files"]>> {
  const files: { path: string; objects: readonly { readonly [field: string]: unknown }[] }[] = [];
  let bytes = 0;
  await tree.fetchAhead?.(entries);
  for (const entry of entries) {
    const { path } = entry;
    const file = entry.kind === "symlink" ? await followLinks(tree, path) : entry;
    if (file === undefined || file.kind === "directory" || file.kind === "submodule")
      throw new CapstanError({ code: "FILE_MISSING", file: path, hint: "it is a link to no file" });
    const size = await tree.size(file);
    if (size > maxFileBytes)
      throw new CapstanError({ code: "FILE_TOO_LARGE", file: path, bytes: size, limitBytes: maxFileBytes });
    bytes += size;
    if (bytes > maxBytes)
      throw refusedContent(`the files that its patterns match have more than ${maxBytes} bytes together`);
    files.push({ path, objects: objectsInFile(path, (await tree.read(file)).toString("utf8")) });
  }
  return files;
}
