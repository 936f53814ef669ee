import type { SourceTree, TreeEntry } from "@capstan/plugin-kit";
import type { ChangedFilesRequest, FilesChanged } from "@capstan/wire";
import type { GitSources } from "./fetch/git-sources.ts";
import { resolvedTree } from "./fetch/resolved-tree.ts";

const maxFiles = 10_000;
/** Of both trees. Git may have a folder in itself over and over: a small repository has more than fit anywhere. */
const maxEntries = 250_000;
/** As Linux has it for a path. */
const maxPathLength = 4_096;

export async function changedFiles(
  git: Pick<GitSources, "resolve" | "tree">,
  request: ChangedFilesRequest,
  signal: AbortSignal,
): Promise<FilesChanged> {
  const before = await resolvedTree(git, { ...request, revision: request.since }, signal);
  const after = await resolvedTree(git, request, signal);
  const files = await compareTrees(before, after);
  return { revision: after.revision, ...(files && { files }) };
}

/**
 * Paths of the files that stand in one of both alone, or have another content or mode. Only folders that differ are read.
 * Undefined where there are too many.
 */
async function compareTrees(before: SourceTree, after: SourceTree): Promise<string[] | undefined> {
  const changed: string[] = [];
  const waiting = [""];
  let entries = 0;
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const [former, current] = await Promise.all([before.list(folder), after.list(folder)]);
    entries += former.length + current.length;
    if (entries > maxEntries) return undefined;
    for (const [path, [one, other]] of pairs(former, current)) {
      if (one?.kind === other?.kind && one?.digest === other?.digest) continue;
      const kinds = [one, other].flatMap((entry) => (entry ? [entry.kind] : []));
      if (path.length > maxPathLength) return undefined;
      if (kinds.includes("directory")) waiting.push(path);
      if (kinds.some((kind) => kind !== "directory")) changed.push(path);
    }
    if (changed.length > maxFiles) return undefined;
  }
  return changed;
}

type Pair = [TreeEntry | undefined, TreeEntry | undefined];

function pairs(former: readonly TreeEntry[], current: readonly TreeEntry[]): ReadonlyMap<string, Pair> {
  const found = new Map<string, Pair>(former.map((entry) => [entry.path, [entry, undefined]]));
  for (const entry of current) found.set(entry.path, [found.get(entry.path)?.[0], entry]);
  return found;
}
