import { createHash } from "node:crypto";
import { lstat, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { formatTime } from "@capstan/formats";
import { CapstanError } from "@capstan/model";
import { readItselfBelow, type SourceTree, type TreeEntry } from "@capstan/plugin-kit";
import type { Sources } from "../fetch/sources.ts";
import { blobId, byBytes, treeId } from "../transfer/git-ids.ts";

/** What a folder on this machine may hold. */
export interface FolderLimits {
  maxFileBytes: number;
  maxFiles: number;
}

/** Sources of one URL come from a folder, all others from where they always come from. */
export function withFolder(sources: Sources, url: string, folder: Sources): Sources {
  const of = (repository: { url: string }) => (repository.url === url ? folder : sources);
  return {
    resolve: (request, signal) => of(request.repository).resolve(request, signal),
    tree: (from, signal) => of(from.repository).tree(from, signal),
    metadata: (from, signal) => of(from.repository).metadata(from, signal),
  };
}

const left = new Set([".git", "node_modules"]);
const filesAtOnce = 32;

/** A folder of this machine as a source, with what is not committed: for trying plugins out. */
export function folderSources(folder: string, limits: FolderLimits): Sources {
  const reader = new FolderReader(folder, limits);
  return {
    resolve: async () => {
      const { revision } = await reader.read();
      return { revision, ambiguous: folder };
    },
    tree: () => reader.read(),
    metadata: async () => ({ author: "", date: formatTime(0), message: `files of ${folder}`, tags: [] }),
  };
}

/** Reads a folder again and again; what has not changed is not read again. */
class FolderReader {
  readonly #folder: string;
  readonly #limits: FolderLimits;
  #root: string;
  #known = new Map<string, { state: string; entry: TreeEntry }>();

  constructor(folder: string, limits: FolderLimits) {
    this.#folder = folder;
    this.#root = folder;
    this.#limits = limits;
  }

  async read(): Promise<SourceTree> {
    // Whoever names a folder may name a link to it; in it none is followed here.
    this.#root = await realpath(this.#folder).catch(() => this.#folder);
    const known = new Map<string, { state: string; entry: TreeEntry }>();
    const directories = new Map<string, TreeEntry[]>();
    const waiting = [""];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const items = await this.#list(path);
      directories.set(path, []);
      const names = items.filter((item) => !left.has(item.name)).map((item) => ({ item, path }));
      for (let at = 0; at < names.length; at += filesAtOnce)
        await Promise.all(
          names.slice(at, at + filesAtOnce).map(async ({ item }) => {
            const below = path === "" ? item.name : `${path}/${item.name}`;
            if (item.isDirectory()) waiting.push(below);
            else if (item.isFile() || item.isSymbolicLink()) known.set(below, await this.#entry(below));
          }),
        );
      if (known.size > this.#limits.maxFiles) throw this.#tooMany();
    }
    this.#known = known;
    for (const { entry } of known.values())
      directories.get(entry.path.slice(0, Math.max(0, entry.path.lastIndexOf("/"))))?.push(entry);
    return new FolderTree(this.#root, directories);
  }

  async #list(path: string) {
    try {
      return await readdir(join(this.#root, path), { withFileTypes: true });
    } catch (error) {
      if (path !== "") return []; // removed since its parent was read
      throw new CapstanError({ code: "PATH_MISSING", path: this.#folder }, error);
    }
  }

  async #entry(path: string): Promise<{ state: string; entry: TreeEntry }> {
    const file = join(this.#root, path);
    const { size, ino, ctimeNs } = await lstat(file, { bigint: true });
    const state = `${size} ${ino} ${ctimeNs}`;
    const known = this.#known.get(path);
    if (known?.state === state) return known;
    if (size > this.#limits.maxFileBytes)
      throw new CapstanError({
        code: "FILE_TOO_LARGE",
        file: path,
        bytes: Number(size),
        limitBytes: this.#limits.maxFileBytes,
      });
    const found = readItselfBelow(this.#root, path, { maxBytes: this.#limits.maxFileBytes });
    if (!found) throw new CapstanError({ code: "FILE_MISSING", file: path });
    const { kind, data } = found;
    const name = path.slice(path.lastIndexOf("/") + 1);
    return { state, entry: { path, name, kind, digest: blobId(data, "sha1") } };
  }

  #tooMany(): CapstanError {
    const problem = `${this.#folder} holds more than ${this.#limits.maxFiles} files. Name a smaller folder`;
    return new CapstanError({ code: "INVALID_ARGUMENT", field: "source", problem });
  }
}

/** What a folder held when it was read; contents are read when they are asked for. */
class FolderTree implements SourceTree {
  readonly revision: string;
  readonly idFormat = "sha1";
  readonly #folder: string;
  readonly #entries = new Map<string, TreeEntry>();
  readonly #directories: ReadonlyMap<string, TreeEntry[]>;

  constructor(folder: string, directories: ReadonlyMap<string, TreeEntry[]>) {
    this.#folder = folder;
    this.#directories = directories;
    for (const path of [...directories.keys()].sort((one, other) => other.length - one.length))
      this.#close(path);
    const root = this.#entries.get("")?.digest ?? "";
    this.revision = createHash("sha1").update(`folder ${root}`).digest("hex");
  }

  async entry(path: string): Promise<TreeEntry | undefined> {
    return this.#entries.get(path);
  }

  async list(path: string): Promise<readonly TreeEntry[]> {
    return this.#directories.get(path) ?? [];
  }

  async read({ path, kind }: TreeEntry): Promise<Buffer> {
    const found = readItselfBelow(this.#folder, path);
    if (found && (found.kind === "symlink") === (kind === "symlink")) return found.data;
    throw new CapstanError({ code: "FILE_MISSING", file: path, neededBy: "what was listed just now" });
  }

  async size(entry: TreeEntry): Promise<number> {
    return entry.kind === "symlink"
      ? (await this.read(entry)).length
      : (await lstat(join(this.#folder, entry.path))).size;
  }

  /** Everything below is there: gives the directory its id and puts it into its own. Git knows no empty ones. */
  #close(path: string): void {
    const entries = (this.#directories.get(path) ?? []).sort((one, other) => byBytes(one.name, other.name));
    for (const entry of entries) this.#entries.set(entry.path, entry);
    if (entries.length === 0 && path !== "") return;
    const name = path.slice(path.lastIndexOf("/") + 1);
    const own: TreeEntry = { path, name, kind: "directory", digest: treeId(entries, "sha1") };
    this.#entries.set(path, own);
    if (path !== "") this.#directories.get(path.slice(0, Math.max(0, path.lastIndexOf("/"))))?.push(own);
  }
}
