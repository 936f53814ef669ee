import { matchesGlob } from "@capstan/formats";
import {
  byWalkOrder,
  followLinks,
  type RenderContext,
  relativeTo,
  type TreeEntry,
  walk,
} from "@capstan/plugin-kit";

export interface SelectedFile {
  /** As named in the application's directory. */
  readonly path: string;
  /** The file itself, links followed. */
  readonly entry: TreeEntry;
}

const manifestName = /\.(yaml|yml|json|jsonnet)$/;

/**
 * The files of a directory source (Argo CD: reposerver getPotentiallyValidManifests): by extension, include and
 * exclude; links only to regular files within the repository. In the order of Argo CD's walk.
 */
export async function selectFiles({ tree, path, source }: RenderContext): Promise<SelectedFile[]> {
  const {
    recurse = false,
    include = "",
    exclude = "",
    disableExtensionFilter = false,
  } = source.directory ?? {};
  const isIncluded = include === "" ? () => true : (path: string) => matchesGlob(include, path);
  const isExcluded = exclude === "" ? () => false : (path: string) => matchesGlob(exclude, path);
  const entries = recurse ? await walk(tree, path) : await tree.list(path);
  const selected: SelectedFile[] = [];
  for (const entry of entries) {
    if (entry.kind === "directory" || entry.kind === "submodule") continue;
    if (!disableExtensionFilter && !manifestName.test(entry.name)) continue;
    const relative = relativeTo(path, entry.path);
    if (isExcluded(relative) || !isIncluded(relative)) continue;
    const file = entry.kind === "symlink" ? await followLinks(tree, entry.path) : entry;
    if (file?.kind === "file" || file?.kind === "executable")
      selected.push({ path: entry.path, entry: file });
  }
  return selected.sort((left, right) => byWalkOrder(left.path, right.path));
}
