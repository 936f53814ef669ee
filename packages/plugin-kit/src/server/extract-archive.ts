import { createWriteStream } from "node:fs";
import { lchown, mkdir, realpath, symlink } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { extract, type Headers } from "tar-stream";
import { isWithin } from "../paths.ts";
import { UnpackCount } from "../unpack/unpack-count.ts";

export interface ArchiveLimits {
  maxTreeBytes: number;
  maxTreeFiles: number;
}

export interface ExtractOptions extends ArchiveLimits {
  /** Absolute, without links on the way, and empty. */
  directory: string;
  /** Otherwise 0755 for directories and 0644 for files. */
  preserveFileMode: boolean;
  signal: AbortSignal;
  /** Whose the files are. */
  owner?: number;
}

const chunkSize = 256 * 2 ** 10;

/**
 * Unpacks a tar+gzip archive. Nothing leaves the directory: neither by name nor by link nor through a link; other
 * kinds than files, directories and symbolic links are passed over (Argo CD: util/io/files/tar.go untar).
 */
export async function extractArchive(source: Readable, options: ExtractOptions): Promise<void> {
  const tar = extract();
  const count = new UnpackCount({
    maxBytes: options.maxTreeBytes,
    maxEntries: options.maxTreeFiles,
    what: "the archive",
    remedy: "Exclude some or raise --max-tree-files",
  });
  const target = new Target(options, count);
  const unpacking = (async () => {
    for await (const entry of tar) {
      await target.write(entry.header, entry);
      entry.resume();
    }
  })();
  const { signal } = options;
  await Promise.all([
    pipeline(source, createGunzip({ chunkSize }), count.passing(), tar, { signal }),
    unpacking,
  ]);
}

class Target {
  readonly #options: ExtractOptions;
  readonly #made = new Set<string>();
  readonly #links = new Set<string>();
  readonly #count: UnpackCount;

  constructor(options: ExtractOptions, count: UnpackCount) {
    this.#options = options;
    this.#count = count;
    this.#made.add(options.directory);
  }

  async write(header: Headers, content: Readable): Promise<void> {
    const { directory, preserveFileMode } = this.#options;
    this.#count.enter(header);
    const path = resolve(directory, `./${header.name}`);
    if (path === directory) return;
    if (!isWithin(directory, path) || this.#crossesLink(path))
      throw new Error(`illegal filepath in archive: ${header.name}`);
    const mode = (normal: number) => (preserveFileMode ? (header.mode ?? normal) & 0o777 : normal);
    if (header.type === "directory") await this.#makeDirectory(path, mode(0o755));
    else if (header.type === "symlink") await this.#link(path, header.linkname ?? "");
    else if (header.type === "file" || header.type === "contiguous-file") {
      await this.#makeDirectory(dirname(path), 0o755);
      await pipeline(content, createWriteStream(path, { mode: mode(0o644) }));
      await this.#own(path);
    }
  }

  /** Git has no such paths; through a link, a later link's relative target would mean another place. */
  #crossesLink(path: string): boolean {
    const { directory } = this.#options;
    for (let at = path; at !== directory; at = dirname(at)) if (this.#links.has(at)) return true;
    return false;
  }

  async #own(path: string): Promise<void> {
    const { owner } = this.#options;
    if (owner !== undefined) await lchown(path, owner, owner);
  }

  async #makeDirectory(path: string, mode: number): Promise<void> {
    if (this.#made.has(path)) return;
    await this.#makeDirectory(dirname(path), 0o755);
    this.#count.add(1);
    await mkdir(path, { mode, recursive: true });
    await this.#own(path);
    this.#made.add(path);
  }

  /** Absolute targets count from the link's directory, existing ones are resolved, and all become relative. */
  async #link(path: string, text: string): Promise<void> {
    const { directory } = this.#options;
    await this.#makeDirectory(dirname(path), 0o755);
    const lexical = join(dirname(path), text);
    const real = await realpath(lexical).catch(() => lexical);
    if (!isWithin(directory, real)) throw new Error(`illegal filepath in symlink: ${text}`);
    await symlink(relative(dirname(path), real) || ".", path);
    await this.#own(path);
    this.#links.add(path);
  }
}
