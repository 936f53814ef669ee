import type { BoundedMap } from "@capstan/flow";
import { CapstanError } from "@capstan/model";
import { parentOf, type SourceTree, type TreeEntry } from "@capstan/plugin-kit";
import { readTree, type TreeItem } from "./git-objects.ts";
import { ObjectLost, type ObjectReader } from "./object-reader.ts";

/** Listings by tree id: content-addressed, so that a new commit costs only the directories it changed. */
export type TreeCache = BoundedMap<readonly TreeItem[]>;

/** Contents by blob id, weighed in bytes: what a commit left as it was is not read again. */
export type ContentCache = BoundedMap<Buffer>;

export interface GitTreeOptions {
  revision: string;
  rootId: string;
  reader: ObjectReader;
  cache: TreeCache;
  contents: ContentCache;
  maxFileBytes: number;
  signal: AbortSignal;
  /** How files come that did not come with the commit; absent where all did. */
  lacking?: Lacking;
}

export interface Lacking {
  /** By blob ids. */
  bring(ids: readonly string[]): Promise<void>;
  /** None came: then those of one directory are brought together. */
  isEmpty: boolean;
}

/** A directory with more is none of manifests alone. */
const mostNeighbours = 500;

const maxTreeBytes = 64 * 2 ** 20;
const maxKeptBytes = 2 ** 16;
/** What a kept content takes besides its bytes. */
const entryBytes = 300;

/** A commit's files, read from git objects. */
export class GitTree implements SourceTree {
  readonly revision: string;
  readonly idFormat: "sha1" | "sha256";
  readonly isCommitted = true;
  readonly isPartial: boolean;
  readonly #options: GitTreeOptions;
  readonly #root: TreeEntry;
  /** By path: one request asks for the same few again and again, and each is found among its neighbours. */
  readonly #found = new Map<string, TreeEntry | undefined>();
  /** By blob id: who asks how large a file is often reads it next. */
  readonly #sizes = new Map<string, number>();

  constructor(options: GitTreeOptions) {
    this.revision = options.revision;
    this.idFormat = options.rootId.length === 64 ? "sha256" : "sha1";
    this.isPartial = options.lacking?.isEmpty === true;
    this.#options = options;
    this.#root = { path: "", name: "", kind: "directory", digest: options.rootId };
  }

  async entry(path: string): Promise<TreeEntry | undefined> {
    if (path === "") return this.#root;
    if (this.#found.has(path)) return this.#found.get(path);
    const entry = await this.#find(path);
    this.#found.set(path, entry);
    return entry;
  }

  async #find(path: string): Promise<TreeEntry | undefined> {
    let entry = this.#root;
    for (const name of path.split("/")) {
      if (entry.kind !== "directory") return undefined;
      const item = itemOf(await this.#items(entry.digest), name);
      if (!item) return undefined;
      entry = toEntry(entry.path, item);
    }
    return entry;
  }

  async list(path: string): Promise<readonly TreeEntry[]> {
    const entry = await this.entry(path);
    if (entry?.kind !== "directory") return [];
    return (await this.#items(entry.digest)).map((item) => toEntry(path, item));
  }

  async size(entry: TreeEntry): Promise<number> {
    const known = this.#options.contents.get(entry.digest);
    const asked = known?.length ?? this.#sizes.get(entry.digest);
    if (asked !== undefined) return asked;
    const { reader, signal, lacking } = this.#options;
    let size = await reader.size(entry.digest, signal);
    if (size === undefined && lacking) {
      await lacking.bring(await this.#neighbours(entry, lacking));
      size = await reader.size(entry.digest, signal);
    }
    if (size === undefined) throw new ObjectLost(reader, entry.digest);
    this.#sizes.set(entry.digest, size);
    return size;
  }

  async read(entry: TreeEntry): Promise<Buffer> {
    const { reader, contents, maxFileBytes, signal } = this.#options;
    const known = contents.get(entry.digest);
    if (known) return known;
    const bytes = await this.size(entry);
    if (bytes > maxFileBytes)
      throw new CapstanError({ code: "FILE_TOO_LARGE", file: entry.path, bytes, limitBytes: maxFileBytes });
    const object = await reader.read(entry.digest, signal);
    if (!object) throw new ObjectLost(this.#options.reader, entry.digest);
    // A copy: the object may lie in a larger piece of what git wrote.
    if (bytes <= maxKeptBytes) contents.set(entry.digest, Buffer.from(object.data), bytes + entryBytes);
    return object.data;
  }

  async fetchAhead(entries: readonly TreeEntry[]): Promise<void> {
    const { lacking, contents } = this.#options;
    if (!lacking?.isEmpty) return;
    const ids = entries.filter(isFile).map(({ digest }) => digest);
    await lacking.bring([...new Set(ids)].filter((id) => contents.get(id) === undefined));
  }

  /** Itself, and what is likely to be read next. */
  async #neighbours(entry: TreeEntry, { isEmpty }: Lacking): Promise<string[]> {
    const own = [entry.digest];
    if (!isEmpty) return own;
    const all = (await this.list(parentOf(entry.path))).filter(isFile);
    return all.length > mostNeighbours ? own : [...new Set([...own, ...all.map(({ digest }) => digest)])];
  }

  async #items(id: string): Promise<readonly TreeItem[]> {
    const { cache, reader, signal } = this.#options;
    const known = cache.get(id);
    if (known) return known;
    const bytes = await reader.size(id, signal);
    if (bytes !== undefined && bytes > maxTreeBytes)
      throw new CapstanError({ code: "TREE_TOO_LARGE", path: id, bytes, limitBytes: maxTreeBytes });
    const object = bytes === undefined ? undefined : await reader.read(id, signal);
    if (object?.type !== "tree") throw new ObjectLost(reader, id);
    const readMeanwhile = cache.get(id);
    if (readMeanwhile) return readMeanwhile;
    const items = readTree(object.data);
    cache.set(id, items, items.length + 1);
    return items;
  }
}

const byName = new WeakMap<readonly TreeItem[], ReadonlyMap<string, TreeItem>>();
/** So many are looked through sooner than put in order. */
const few = 16;

/** Where a folder has one for each of thousands of applications, each of these asks for its own. */
function itemOf(items: readonly TreeItem[], name: string): TreeItem | undefined {
  if (items.length <= few) return items.find((one) => one.name === name);
  let index = byName.get(items);
  if (!index) {
    // Of several with one name, which git never writes, the first: as above.
    index = new Map(items.toReversed().map((one) => [one.name, one]));
    byName.set(items, index);
  }
  return index.get(name);
}

function isFile({ kind }: TreeEntry): boolean {
  return kind !== "directory" && kind !== "submodule";
}

function toEntry(directory: string, { name, kind, digest }: TreeItem): TreeEntry {
  return { path: directory === "" ? name : `${directory}/${name}`, name, kind, digest };
}
