import { setImmediate } from "node:timers/promises";
import { CapstanError } from "@capstan/model";

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
  /**
   * Set where files are read as what they stand for (pointers of Git LFS): their digests are those of the pointers. Of
   * trees with equal ids, those with equal texts read alike.
   */
  readonly standsFor?: string;
  /** All of it stands in a repository: nothing is what a stage made, so nothing is a secret that must be forgotten. */
  readonly isCommitted?: boolean;
  /** Contents come when they are asked for, so that many are better asked for together. */
  readonly isPartial?: boolean;
  /** What stands there, links not followed; nothing when nothing does. */
  entry(path: string): Promise<TreeEntry | undefined>;
  /** Entries of a directory in byte order of their names; empty when it is no directory. */
  list(path: string): Promise<readonly TreeEntry[]>;
  /** Content of a file, or the target text of a link; too large a file is refused before it is read. */
  read(entry: TreeEntry): Promise<Buffer>;
  size(entry: TreeEntry): Promise<number>;
  /** Brings what entries stand for together, where it is not here; what cannot be had fails when it is read. */
  fetchAhead?(entries: readonly TreeEntry[]): Promise<void>;
  /** Why a submodule at this path could not be had; nothing where nobody tried. */
  whyMissing?(path: string): string | undefined;
}

/** What a walk may find: far more than repositories hold, far less than memory does. */
export interface WalkLimits {
  /** Directories included; default 250,000. */
  readonly maxEntries?: number;
  /** Of one path; default 4,096 as Linux has it. */
  readonly maxPathBytes?: number;
  /** Of all paths together; default 128 MiB. */
  readonly maxPathsBytes?: number;
}

const defaultWalk = { maxEntries: 250_000, maxPathBytes: 4_096, maxPathsBytes: 2 ** 27 };
/** Listings that are in memory would be walked in one turn. */
const entriesInTurn = 2_000;

/**
 * Everything below a directory but the directories, depth first in byte order; a file is its own only member. In git a
 * directory can stand in another one twice, and so on down: a repository of some kilobytes has more files than fit
 * anywhere, and is refused.
 */
export async function walk(tree: SourceTree, path: string, limits: WalkLimits = {}): Promise<TreeEntry[]> {
  const start = await tree.entry(path);
  if (!start) return [];
  if (start.kind !== "directory") return [start];
  const count = new WalkCount(path, limits);
  const found: TreeEntry[] = [];
  const waiting = [path];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const entries = await tree.list(next);
    await count.add(entries);
    for (const entry of entries) if (entry.kind !== "directory") found.push(entry);
    for (const entry of entries.toReversed()) if (entry.kind === "directory") waiting.push(entry.path);
  }
  return found;
}

class WalkCount {
  readonly #path: string;
  readonly #limits: Required<WalkLimits>;
  #entries = 0;
  #bytes = 0;
  #inTurn = 0;

  constructor(path: string, limits: WalkLimits) {
    this.#path = path;
    this.#limits = { ...defaultWalk, ...limits };
  }

  async add(entries: readonly TreeEntry[]): Promise<void> {
    const { maxEntries, maxPathBytes, maxPathsBytes } = this.#limits;
    this.#entries += entries.length;
    for (const { path } of entries) {
      this.#bytes += path.length;
      if (path.length > maxPathBytes)
        throw this.#refused(`${path.slice(0, 200)}… is a path of more than ${maxPathBytes} characters`);
    }
    if (this.#entries > maxEntries)
      throw this.#refused(`it holds more than ${maxEntries} files and directories`);
    if (this.#bytes > maxPathsBytes)
      throw this.#refused(`the paths in it have more than ${maxPathsBytes} characters together`);
    this.#inTurn += entries.length + 1;
    if (this.#inTurn < entriesInTurn) return;
    this.#inTurn = 0;
    await setImmediate();
  }

  #refused(problem: string): CapstanError {
    const what = this.#path === "" ? "the repository" : `the directory ${this.#path}`;
    return new CapstanError({
      code: "FAILED_PRECONDITION",
      what,
      problem: `${problem}. Point the source at less`,
    });
  }
}
