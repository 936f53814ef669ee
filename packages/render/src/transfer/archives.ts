import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { SharedCalls } from "@capstan/flow";
import type { Log, SourceTree } from "@capstan/plugin-kit";
import type { Selection } from "./select-files.ts";
import { makeTreeArchive, type TreeArchive } from "./tree-archive.ts";

export interface ArchivesOptions {
  dataDir: string;
  log: Log;
  maxBytes: number;
  maxFiles: number;
}

const maxMemoryEach = 32 * 2 ** 20;
const maxMemory = 128 * 2 ** 20;
const maxFiles = 16;

interface Kept {
  archive: TreeArchive;
  users: number;
  isDropped: boolean;
}

/** One archive for each tree and selection, made once and shared by all that send it. */
export class Archives implements AsyncDisposable {
  readonly #options: ArchivesOptions;
  readonly #dir: string;
  readonly #making = new SharedCalls<Kept>();
  /** In order of last use. */
  readonly #kept = new Map<string, Kept>();
  made = 0;

  static async open(options: ArchivesOptions): Promise<Archives> {
    const archives = new Archives(options);
    await rm(archives.#dir, { recursive: true, force: true });
    await mkdir(archives.#dir, { recursive: true, mode: 0o700 });
    return archives;
  }

  private constructor(options: ArchivesOptions) {
    this.#options = options;
    this.#dir = join(options.dataDir, "archives");
  }

  /** Hands the archive to `use`; it stays until that has ended. */
  async with<Value>(
    { tree, selection }: { tree: SourceTree; selection: Selection },
    use: (archive: TreeArchive) => Promise<Value>,
    signal: AbortSignal,
  ): Promise<Value> {
    const root = await tree.entry("");
    const key = JSON.stringify([root?.digest, selection.paths, selection.exclude]);
    const make = (inner: AbortSignal) => this.#make(key, { tree, selection }, inner);
    const kept = this.#kept.get(key) ?? (await this.#making.join(key, make, signal));
    kept.users++;
    try {
      this.#touch(key, kept);
      return await use(kept.archive);
    } finally {
      kept.users--;
      await this.#closeUnused(kept);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#making.settle();
    for (const key of [...this.#kept.keys()]) await this.#drop(key);
  }

  async #make(
    key: string,
    { tree, selection }: { tree: SourceTree; selection: Selection },
    signal: AbortSignal,
  ): Promise<Kept> {
    const file = join(this.#dir, randomUUID());
    const { maxBytes, maxFiles } = this.#options;
    const limits = { file, maxMemoryBytes: maxMemoryEach, maxBytes, maxFiles, signal };
    const archive = await makeTreeArchive(tree, selection, limits);
    this.made++;
    this.#options.log.debug(
      { revision: tree.revision, paths: selection.paths, bytes: archive.store.bytes },
      "an archive for plugins was made",
    );
    const kept = { archive, users: 0, isDropped: false };
    this.#kept.set(key, kept);
    await this.#dropOldest(key);
    return kept;
  }

  #touch(key: string, kept: Kept): void {
    if (kept.isDropped) return;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
  }

  /** Until memory and files are within limits; the newest stays. */
  async #dropOldest(newest: string): Promise<void> {
    for (const key of [...this.#kept.keys()]) {
      const stores = [...this.#kept.values()].map(({ archive }) => archive.store);
      const memory = stores.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
      const files = stores.filter(({ memoryBytes }) => memoryBytes === 0).length;
      if (key === newest || (memory <= maxMemory && files <= maxFiles)) return;
      await this.#drop(key);
    }
  }

  async #drop(key: string): Promise<void> {
    const kept = this.#kept.get(key);
    if (!kept) return;
    this.#kept.delete(key);
    kept.isDropped = true;
    await this.#closeUnused(kept);
  }

  async #closeUnused(kept: Kept): Promise<void> {
    if (kept.isDropped && kept.users === 0) await kept.archive.store.close();
  }
}
