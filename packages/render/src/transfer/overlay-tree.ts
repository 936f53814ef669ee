import { parentOf, type SourceTree, type TreeEntry, traceLink } from "@capstan/plugin-kit";
import { blobId, byBytes, type GitHash, treeId } from "./git-ids.ts";

/** What a stage did to a file; without `data` it is gone. */
export interface FileChange {
  readonly path: string;
  readonly kind: "file" | "executable" | "symlink";
  readonly data?: Buffer;
}

interface Changed {
  readonly entry: TreeEntry | undefined;
  readonly data: Buffer;
}

/**
 * A tree with files changed. Ids are those that git would give, so that what a stage made again equals what stood in
 * a commit, and whoever is sent objects by id can check them.
 */
export class OverlayTree implements SourceTree {
  readonly revision: string;
  readonly idFormat?: GitHash;
  readonly standsFor?: string;
  readonly #base: SourceTree;
  readonly #changed: ReadonlyMap<string, Changed>;
  /** Every directory above a change. */
  readonly #above = new Set<string>();
  readonly #listings = new Map<string, Promise<readonly TreeEntry[]>>();

  static async of(base: SourceTree, changes: readonly FileChange[]): Promise<SourceTree> {
    if (changes.length === 0) return base;
    const root = await base.entry("");
    const algorithm = root?.digest.length === 64 ? "sha256" : "sha1";
    const tree = new OverlayTree(base, changes, algorithm);
    // Only here is it known where it leads: through what stands in the base, and through the other changes.
    for (const { path, kind, data } of changes) if (kind === "symlink" && data) await checkLink(tree, path);
    return tree;
  }

  readonly #algorithm: GitHash;

  private constructor(base: SourceTree, changes: readonly FileChange[], algorithm: GitHash) {
    this.#base = base;
    this.revision = base.revision;
    this.#algorithm = algorithm;
    if (base.idFormat) this.idFormat = base.idFormat;
    if (base.standsFor !== undefined) this.standsFor = base.standsFor;
    const changed = new Map<string, Changed>();
    for (const { path, kind, data } of changes) {
      const name = path.slice(path.lastIndexOf("/") + 1);
      const entry = data && { path, name, kind, digest: blobId(data, algorithm) };
      changed.set(path, { entry, data: data ?? Buffer.alloc(0) });
      for (let above = path; above !== ""; ) {
        above = parentOf(above);
        this.#above.add(above);
      }
    }
    this.#changed = changed;
  }

  async entry(path: string): Promise<TreeEntry | undefined> {
    const changed = this.#changed.get(path);
    if (changed) return changed.entry;
    if (!this.#above.has(path)) return this.#unchanged(path);
    const items = await this.list(path);
    if (items.length === 0 && path !== "") return undefined;
    const name = path.slice(path.lastIndexOf("/") + 1);
    return { path, name, kind: "directory", digest: treeId(items, this.#algorithm) };
  }

  list(path: string): Promise<readonly TreeEntry[]> {
    if (this.#isBelowChange(path)) return Promise.resolve([]);
    if (!this.#above.has(path)) return this.#base.list(path);
    const known = this.#listings.get(path) ?? this.#merge(path);
    this.#listings.set(path, known);
    return known;
  }

  async read(entry: TreeEntry): Promise<Buffer> {
    const changed = this.#changed.get(entry.path);
    return changed?.entry ? changed.data : this.#base.read(entry);
  }

  async size(entry: TreeEntry): Promise<number> {
    const changed = this.#changed.get(entry.path);
    return changed?.entry ? changed.data.length : this.#base.size(entry);
  }

  /** Something of the base, unless a file has taken the place of a directory above it. */
  #unchanged(path: string): Promise<TreeEntry | undefined> {
    return this.#isBelowChange(path) ? Promise.resolve(undefined) : this.#base.entry(path);
  }

  #isBelowChange(path: string): boolean {
    for (let above = path; above !== ""; ) {
      if (this.#changed.has(above)) return true;
      above = parentOf(above);
    }
    return false;
  }

  async #merge(path: string): Promise<readonly TreeEntry[]> {
    const names = new Set((await this.#base.list(path)).map(({ name }) => name));
    for (const inside of [...this.#changed.keys(), ...this.#above])
      if (inside !== "" && parentOf(inside) === path) names.add(inside.slice(inside.lastIndexOf("/") + 1));
    const entries: TreeEntry[] = [];
    for (const name of [...names].sort(byBytes)) {
      const entry = await this.entry(path === "" ? name : `${path}/${name}`);
      if (entry) entries.push(entry);
    }
    return entries;
  }
}

async function checkLink(tree: SourceTree, path: string): Promise<void> {
  const link = await tree.entry(path);
  if (link) await traceLink(tree, link);
}
