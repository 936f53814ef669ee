import { isRecord, matchesFiles, matchesPath, matchesPathspec } from "@capstan/formats";
import { CapstanError, messageOf, parseYaml } from "@capstan/model";
import { followLinks, type SourceTree, type TreeEntry, walk } from "@capstan/plugin-kit";
import type { GitContent, GitContentRequest, PathPattern } from "@capstan/wire";

const maxDirectories = 250_000;
/** Files that are read for one question, and what they may have together. */
const maxFiles = 10_000;
const maxBytes = 16 * 2 ** 20;
const maxFileBytes = 2 * 2 ** 20;

/** What the git generators of ApplicationSets ask for (reposerver GetGitDirectories, GetGitFiles). */
export async function readGitContent(tree: SourceTree, request: GitContentRequest): Promise<GitContent> {
  const { revision } = tree;
  const { directories, files = [], hidden = false, doublestar = false } = request;
  if (directories) {
    const all = await listDirectories(tree, hidden);
    return { revision, directories: all.filter((path) => isMeant(directories, path, matchesPath)) };
  }
  const matches = doublestar ? matchesFiles : matchesPathspec;
  const entries = (await walk(tree, "")).filter(
    ({ path, kind }) => kind !== "submodule" && isMeant(files, path, matches),
  );
  if (entries.length > maxFiles)
    throw refused(`its patterns match ${entries.length} files: at most ${maxFiles} are read`);
  return { revision, files: await readFiles(tree, entries) };
}

function isMeant(
  patterns: readonly PathPattern[],
  path: string,
  matches: (pattern: string, path: string) => boolean,
): boolean {
  const matching = patterns.filter((one) => matches(one.path, path));
  return matching.length > 0 && !matching.some(({ exclude = false }) => exclude);
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
    if (found.length > maxDirectories) throw refused(`it holds more than ${maxDirectories} directories`);
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
      throw refused(`the files that its patterns match have more than ${maxBytes} bytes together`);
    files.push({ path, objects: objectsIn(path, (await tree.read(file)).toString("utf8")) });
  }
  return files;
}

/** An object, or a list of objects; an empty file is an object without fields. */
function objectsIn(file: string, text: string): readonly { readonly [field: string]: unknown }[] {
  let value: unknown;
  try {
    value = parseYaml(text);
  } catch (error) {
    throw refused(`the file ${file} cannot be read: ${messageOf(error)}`);
  }
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  return all.map((one) => {
    const object = one ?? {};
    if (!isRecord(object)) throw refused(`the file ${file} holds neither an object nor a list of objects`);
    return object;
  });
}

function refused(problem: string): CapstanError {
  return new CapstanError({ code: "FAILED_PRECONDITION", what: "the repository", problem });
}
