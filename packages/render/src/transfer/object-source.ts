import { parentOf, type SourceTree, type TreeEntry, walk } from "@capstan/plugin-kit";

/** Finds what a plugin wants by its id, among what it may have: nothing else of the repository. */
export class ObjectSource {
  readonly #trees: readonly { tree: SourceTree; paths: readonly string[] }[];
  readonly #told = new Map<string, { tree: SourceTree; entry: TreeEntry }>();
  #roots: Promise<void> | undefined;
  #whole: Promise<void> | undefined;

  constructor(trees: readonly { tree: SourceTree; paths: readonly string[] }[]) {
    this.#trees = trees;
  }

  /** The object's place; nothing when it is not of what may be read. */
  async find(id: string): Promise<{ tree: SourceTree; entry: TreeEntry } | undefined> {
    this.#roots ??= this.#tellRoots();
    await this.#roots;
    const known = this.#told.get(id);
    if (known) return known;
    // The plugin knows the directory from another run and lacks the file.
    this.#whole ??= this.#index();
    await this.#whole;
    return this.#told.get(id);
  }

  /** A directory's entries, which may be asked for from now on. */
  async list(tree: SourceTree, directory: TreeEntry): Promise<readonly TreeEntry[]> {
    const entries = await tree.list(directory.path);
    for (const entry of entries) this.#tell(tree, entry);
    return entries;
  }

  #tell(tree: SourceTree, entry: TreeEntry): void {
    if (entry.kind !== "submodule") this.#told.set(entry.digest, { tree, entry });
  }

  async #tellRoots(): Promise<void> {
    for (const { tree } of this.#trees) {
      const root = await tree.entry("");
      if (root) this.#tell(tree, root);
    }
  }

  async #index(): Promise<void> {
    for (const { tree, paths } of this.#trees)
      for (const path of paths) {
        await this.#tellAbove(tree, path);
        for (const entry of await walk(tree, path)) this.#tell(tree, entry);
        await this.#tellDirectories(tree, path);
      }
  }

  /** The path itself and the directories on the way to it. */
  async #tellAbove(tree: SourceTree, path: string): Promise<void> {
    for (let at = path; at !== ""; at = parentOf(at)) {
      const entry = await tree.entry(at);
      if (entry) this.#tell(tree, entry);
    }
  }

  async #tellDirectories(tree: SourceTree, path: string): Promise<void> {
    const waiting = [path];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
      for (const entry of await tree.list(next)) {
        if (entry.kind !== "directory") continue;
        this.#tell(tree, entry);
        waiting.push(entry.path);
      }
  }
}
