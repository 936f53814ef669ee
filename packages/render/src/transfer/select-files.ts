import { matchesPath } from "@capstan/formats";
import { parentOf, type SourceTree, type TreeEntry, walk } from "@capstan/plugin-kit";

/** Which files of a tree a plugin is given. */
export interface Selection {
  /** From the root; "" is everything. */
  readonly paths: readonly string[];
  /** `--plugin-tar-exclude`: globs on the path from the root; a directory that matches is left out whole. */
  readonly exclude: readonly string[];
}

/** The files in the order of a walk, each once; submodules have no content here. */
export async function selectFiles(tree: SourceTree, { paths, exclude }: Selection): Promise<TreeEntry[]> {
  const found = new Map<string, TreeEntry>();
  for (const path of paths) for (const entry of await walk(tree, path)) found.set(entry.path, entry);
  const excluded = excluder(exclude);
  return [...found.values()].filter(({ kind, path }) => kind !== "submodule" && !excluded(path));
}

function excluder(patterns: readonly string[]): (path: string) => boolean {
  if (patterns.length === 0) return () => false;
  const verdicts = new Map<string, boolean>([["", false]]);
  const isExcluded = (path: string): boolean => {
    const known = verdicts.get(path);
    if (known !== undefined) return known;
    const verdict = patterns.some((pattern) => matchesPath(pattern, path)) || isExcluded(parentOf(path));
    verdicts.set(path, verdict);
    return verdict;
  };
  return isExcluded;
}
