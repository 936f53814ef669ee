import { parentOf, type SourceTree, type TreeEntry } from "@capstan/plugin-kit";
import { treeId } from "../transfer/git-ids.ts";

/** A tree that stands in another one, in place of a submodule. */
export interface MountedTree {
  readonly path: string;
  readonly tree: SourceTree;
}

/** Why a submodule is not there. */
export interface MissingTree {
  readonly path: string;
  readonly problem: string;
}

/**
 * One tree of several. Directories above a submodule have the ids that git would give them if its files were committed
 * there: whoever keys by a directory's id sees each change of the whole, and whoever is sent the objects can check them.
 */
export async function joinTrees(
  outer: SourceTree,
  mounted: readonly MountedTree[],
  missing: readonly MissingTree[],
): Promise<SourceTree> {
  const { idFormat } = outer;
  const [good, bad] = [mounted, [...missing]];
  const alike = good.filter(({ path, tree }) => {
    if (tree.idFormat === idFormat) return true;
    bad.push({ path, problem: "its objects have ids of another kind than the repository's" });
    return false;
  });
  if (idFormat === undefined || (alike.length === 0 && bad.length === 0)) return outer;
  return new JoinedTree(outer, {
    mounted: alike,
    missing: bad,
    above: await directoriesAbove(outer, alike, idFormat),
  });
}

async function directoriesAbove(
  outer: SourceTree,
  mounted: readonly MountedTree[],
  idFormat: NonNullable<SourceTree["idFormat"]>,
): Promise<ReadonlyMap<string, TreeEntry & { entries: readonly TreeEntry[] }>> {
  const replaced = new Map<string, TreeEntry>();
  for (const { path, tree } of mounted) {
    const root = await tree.entry("");
    if (root) replaced.set(path, { ...root, path, name: nameOf(path) });
  }
  const paths = new Set<string>();
  for (const path of replaced.keys())
    for (let at = parentOf(path); ; at = parentOf(at)) {
      paths.add(at);
      if (at === "") break;
    }
  const above = new Map<string, TreeEntry & { entries: readonly TreeEntry[] }>();
  const deepestFirst = [...paths].sort((one, other) => depthOf(other) - depthOf(one));
  for (const path of deepestFirst) {
    const entries = (await outer.list(path)).map(
      (entry) => replaced.get(entry.path) ?? withoutEntries(above.get(entry.path)) ?? entry,
    );
    const digest = treeId(entries, idFormat);
    above.set(path, { path, name: nameOf(path), kind: "directory", digest, entries });
  }
  return above;
}

interface Parts {
  readonly mounted: readonly MountedTree[];
  readonly missing: readonly MissingTree[];
  readonly above: ReadonlyMap<string, TreeEntry & { entries: readonly TreeEntry[] }>;
}

class JoinedTree implements SourceTree {
  readonly revision: string;
  readonly idFormat: "sha1" | "sha256";
  readonly isCommitted: boolean;
  readonly standsFor?: string;
  readonly isPartial: boolean;
  readonly #outer: SourceTree;
  readonly #parts: Parts;

  constructor(outer: SourceTree, parts: Parts) {
    this.revision = outer.revision;
    this.idFormat = outer.idFormat ?? "sha1";
    this.isCommitted = outer.isCommitted === true;
    const mounted = parts.mounted.filter(({ tree }) => tree.standsFor !== undefined);
    const standsFor = [
      outer.standsFor ?? "",
      ...mounted.map(({ path, tree }) => `${path}: ${tree.standsFor}`),
    ];
    if (standsFor.some((one) => one !== "")) this.standsFor = standsFor.join("\n");
    this.isPartial = [outer, ...parts.mounted.map(({ tree }) => tree)].some((one) => one.isPartial);
    this.#outer = outer;
    this.#parts = parts;
  }

  whyMissing(path: string): string | undefined {
    const own = this.#parts.missing.find((one) => one.path === path);
    if (own) return own.problem;
    const { tree, within } = this.#place(path);
    return tree.whyMissing?.(within);
  }

  async entry(path: string): Promise<TreeEntry | undefined> {
    const above = this.#parts.above.get(path);
    if (above) return withoutEntries(above);
    const { tree, top, within } = this.#place(path);
    const entry = await tree.entry(within);
    return entry && (top === "" ? entry : placed(entry, top));
  }

  async list(path: string): Promise<readonly TreeEntry[]> {
    const above = this.#parts.above.get(path);
    if (above) return above.entries;
    const { tree, top, within } = this.#place(path);
    const entries = await tree.list(within);
    return top === "" ? entries : entries.map((entry) => placed(entry, top));
  }

  read(entry: TreeEntry): Promise<Buffer> {
    const { tree, within } = this.#place(entry.path);
    return tree.read({ ...entry, path: within });
  }

  size(entry: TreeEntry): Promise<number> {
    const { tree, within } = this.#place(entry.path);
    return tree.size({ ...entry, path: within });
  }

  async fetchAhead(entries: readonly TreeEntry[]): Promise<void> {
    const byTree = new Map<SourceTree, TreeEntry[]>();
    for (const entry of entries) {
      const { tree, within } = this.#place(entry.path);
      const own = byTree.get(tree) ?? [];
      byTree.set(tree, own);
      own.push({ ...entry, path: within });
    }
    for (const [tree, own] of byTree) await tree.fetchAhead?.(own);
  }

  #place(path: string): { tree: SourceTree; top: string; within: string } {
    const found = this.#parts.mounted.find((one) => path === one.path || path.startsWith(`${one.path}/`));
    if (!found) return { tree: this.#outer, top: "", within: path };
    return { tree: found.tree, top: found.path, within: path.slice(found.path.length + 1) };
  }
}

function placed(entry: TreeEntry, top: string): TreeEntry {
  const path = entry.path === "" ? top : `${top}/${entry.path}`;
  return { ...entry, path, name: nameOf(path) };
}

function withoutEntries(
  entry: (TreeEntry & { entries: readonly TreeEntry[] }) | undefined,
): TreeEntry | undefined {
  if (!entry) return undefined;
  const { path, name, kind, digest } = entry;
  return { path, name, kind, digest };
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function depthOf(path: string): number {
  return path === "" ? 0 : path.split("/").length;
}
