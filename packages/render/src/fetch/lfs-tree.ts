import { Limiter } from "@capstan/flow";
import { CapstanError, isCapstanError, messageOf } from "@capstan/model";
import type { SourceTree, TreeEntry } from "@capstan/plugin-kit";
import { readGitSections } from "./git-sections.ts";
import { type LfsPointer, pointerText, readPointer } from "./lfs-pointer.ts";
import { type LfsServer, objectsAtOnce } from "./lfs-server.ts";
import type { LfsStore } from "./lfs-store.ts";

export interface LfsTreeOptions {
  store: LfsStore;
  /** By which the store knows the repository. */
  repository: string;
  /** Opened with what the file .lfsconfig says, when the first content is wanted that is not here. */
  server(configured: string | undefined, signal: AbortSignal): Promise<LfsServer>;
  maxFileBytes: number;
  signal: AbortSignal;
}

/** Of one tree: what one render may have fetched. */
const [maxObjects, maxBytes] = [5_000, 2 ** 30];
const downloadsAtOnce = 4;
const configFile = ".lfsconfig";

interface Wanted {
  readonly pointer: LfsPointer;
  readonly path: string;
  readonly settle: PromiseWithResolvers<Buffer>;
}

/** A commit's files, where those that are pointers of Git LFS are read as what they point to. */
export class LfsTree implements SourceTree {
  readonly revision: string;
  readonly idFormat?: "sha1" | "sha256";
  readonly isCommitted: boolean;
  readonly standsFor = "lfs";
  readonly #base: SourceTree;
  readonly #options: LfsTreeOptions;
  readonly #downloads = new Limiter({ atOnce: downloadsAtOnce });
  readonly #fetching = new Map<string, Promise<Buffer>>();
  #waiting: Wanted[] = [];
  #isAsking = false;
  #server: Promise<LfsServer> | undefined;
  #bytes = 0;
  #objects = 0;

  constructor(base: SourceTree, options: LfsTreeOptions) {
    this.revision = base.revision;
    if (base.idFormat) this.idFormat = base.idFormat;
    this.isCommitted = base.isCommitted === true;
    this.#base = base;
    this.#options = options;
  }

  entry(path: string): Promise<TreeEntry | undefined> {
    return this.#base.entry(path);
  }

  list(path: string): Promise<readonly TreeEntry[]> {
    return this.#base.list(path);
  }

  async size(entry: TreeEntry): Promise<number> {
    const pointer = await this.#pointer(entry);
    return pointer ? pointer.size : this.#base.size(entry);
  }

  async read(entry: TreeEntry): Promise<Buffer> {
    const pointer = await this.#pointer(entry);
    if (!pointer) return this.#base.read(entry);
    const { store, repository, maxFileBytes } = this.#options;
    const { path: file } = entry;
    if (pointer.size > maxFileBytes)
      throw new CapstanError({ code: "FILE_TOO_LARGE", file, bytes: pointer.size, limitBytes: maxFileBytes });
    const known = this.#fetching.get(pointer.oid) ?? (await store.read(repository, pointer));
    if (known) return known;
    const fetching = this.#fetching.get(pointer.oid) ?? this.#fetch(pointer, file);
    this.#fetching.set(pointer.oid, fetching);
    try {
      return await fetching;
    } finally {
      this.#fetching.delete(pointer.oid);
    }
  }

  async fetchAhead(entries: readonly TreeEntry[]): Promise<void> {
    const { store, repository } = this.#options;
    await this.#base.fetchAhead?.(entries);
    for (let at = 0; at < entries.length; at += objectsAtOnce) {
      const reads = entries.slice(at, at + objectsAtOnce).map(async (entry) => {
        const pointer = await this.#pointer(entry);
        if (pointer && !(await store.has(repository, pointer))) await this.read(entry);
      });
      await Promise.allSettled(reads);
      this.#options.signal.throwIfAborted();
    }
  }

  async #pointer(entry: TreeEntry): Promise<LfsPointer | undefined> {
    const text = await pointerText(this.#base, entry);
    if (text === undefined) return undefined;
    const pointer = readPointer(text);
    if (pointer) return pointer;
    throw refused(entry.path, "its pointer has more than an oid of sha256 and a size, and is not understood");
  }

  #fetch(pointer: LfsPointer, path: string): Promise<Buffer> {
    this.#objects += 1;
    this.#bytes += pointer.size;
    if (this.#objects > maxObjects)
      throw refused(path, `more than ${maxObjects} files of one source are not fetched`);
    if (this.#bytes > maxBytes)
      throw new CapstanError({ code: "TREE_TOO_LARGE", path, bytes: this.#bytes, limitBytes: maxBytes });
    const settle = Promise.withResolvers<Buffer>();
    this.#waiting.push({ pointer, path, settle });
    if (!this.#isAsking) void this.#ask();
    return settle.promise;
  }

  /** One question at a time: what is wanted meanwhile goes together into the next. */
  async #ask(): Promise<void> {
    this.#isAsking = true;
    const { server, signal } = this.#options;
    for (let group = this.#next(); group.length > 0; group = this.#next()) {
      try {
        this.#server ??= this.#configured().then((configured) => server(configured, signal));
        const opened = await this.#server;
        const found = await opened.find(
          group.map(({ pointer }) => pointer),
          signal,
        );
        for (const one of group) void this.#download(one, opened, found.get(one.pointer.oid));
      } catch (error) {
        for (const { path, settle } of group) settle.reject(asRefusal(path, error));
      }
    }
    this.#isAsking = false;
  }

  #next(): Wanted[] {
    const group = this.#waiting.slice(0, objectsAtOnce);
    this.#waiting = this.#waiting.slice(objectsAtOnce);
    return group;
  }

  async #download(
    { pointer, path, settle }: Wanted,
    server: LfsServer,
    found: Parameters<LfsServer["download"]>[1] | Error | undefined,
  ): Promise<void> {
    const { store, repository, signal } = this.#options;
    try {
      if (!found || found instanceof Error) throw found ?? new Error("its server does not know it");
      const content = await this.#downloads.run(() => server.download(pointer, found, signal), signal);
      await store.write(repository, pointer.oid, content);
      settle.resolve(content);
    } catch (error) {
      settle.reject(asRefusal(path, error));
    }
  }

  async #configured(): Promise<string | undefined> {
    const entry = await this.#base.entry(configFile);
    if (entry?.kind !== "file" && entry?.kind !== "executable") return undefined;
    const sections = readGitSections(await this.#base.read(entry), configFile);
    return sections.find(({ section, name }) => section === "lfs" && name === "")?.values.get("url");
  }
}

function asRefusal(path: string, error: unknown): unknown {
  return isCapstanError(error) || !(error instanceof Error) ? error : refused(path, messageOf(error));
}

function refused(path: string, problem: string): CapstanError {
  const what = `file ${path}, which Git LFS keeps`;
  return new CapstanError({ code: "FAILED_PRECONDITION", what, problem });
}
