/** What stands at one path of a tree. */
export interface TreeEntry {
  /** From the root of the tree, without leading slash; "" is the root itself. */
  readonly path: string;
  readonly name: string;
  readonly kind: "directory" | "file" | "executable" | "symlink" | "submodule";
  /** Equal digests, equal content: git's own id of the blob or tree. */
  readonly digest: string;
}

/** The files of one revision, read from where they are stored: nothing of it need be on a disk. */
export interface SourceTree {
  /** Commit, chart version or digest. */
  readonly revision: string;
  /** Set where digests are git's own ids of the content, so that whoever is sent an object can check it. */
  readonly idFormat?: "sha1" | "sha256";
  /** All of it stands in a repository: nothing is what a stage made, so nothing is a secret that must be forgotten. */
  readonly isCommitted?: boolean;
  /** What stands there, links not followed; nothing when nothing does. */
  entry(path: string): Promise<TreeEntry | undefined>;
  /** Entries of a directory in byte order of their names; empty when it is no directory. */
  list(path: string): Promise<readonly TreeEntry[]>;
  /** Content of a file, or the target text of a link; too large a file is refused before it is read. */
  read(entry: TreeEntry): Promise<Buffer>;
  size(entry: TreeEntry): Promise<number>;
}

/** Everything below a directory but the directories, depth first in byte order; a file is its own only member. */
export async function walk(tree: SourceTree, path: string): Promise<TreeEntry[]> {
  const start = await tree.entry(path);
  if (!start) return [];
  if (start.kind !== "directory") return [start];
  const found: TreeEntry[] = [];
  const waiting = [path];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const entries = await tree.list(next);
    for (const entry of entries) if (entry.kind !== "directory") found.push(entry);
    for (const entry of entries.toReversed()) if (entry.kind === "directory") waiting.push(entry.path);
  }
  return found;
}
