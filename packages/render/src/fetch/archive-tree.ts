import { hash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { CapstanError, isCapstanError } from "@capstan/model";
import { hasGitFolder, joinWithin, type SourceTree, type TreeEntry, UnpackCount } from "@capstan/plugin-kit";
import { extract, type Headers } from "tar-stream";

interface Stored {
  entry: TreeEntry;
  data: Buffer;
}

export interface ArchiveLimits {
  maxBytes: number;
  maxFiles: number;
  /** All files stand in one directory, which is left out; default true. */
  isChart?: boolean;
  /** gzip; default true. */
  isPacked?: boolean;
  /** Digests of its files are nobody else's: git's ids are hashes of what a sender can write into a file. */
  mark?: string;
  /** Named in errors; default "the archive". */
  what?: string;
}

/** The files of an archive, in memory. */
export class ArchiveTree implements SourceTree {
  readonly revision: string;
  readonly #files: ReadonlyMap<string, Stored>;
  readonly #directories = new Map<string, TreeEntry[]>();
  /** Of all content together. */
  readonly bytes: number;

  /** Limits are those of what it unpacks to. */
  static async read(archive: Buffer, revision: string, limits: ArchiveLimits): Promise<ArchiveTree> {
    const files = new Map<string, Stored>();
    let bytes = 0;
    const unpack = extract();
    const { isChart = true, isPacked = true, maxBytes, maxFiles, mark = "", what = "the archive" } = limits;
    const count = new UnpackCount({ maxBytes, maxEntries: maxFiles, what });
    const bytesOf = Readable.from([archive]);
    const unpacked = pipeline([bytesOf, ...(isPacked ? [createGunzip()] : []), count.passing(), unpack]);
    const read = async () => {
      for await (const entry of unpack) {
        count.enter(entry.header);
        const chunks: Buffer[] = [];
        for await (const chunk of entry) chunks.push(chunk);
        const stored = store(entry.header, Buffer.concat(chunks), { isChart, files, mark });
        if (!stored) continue;
        bytes += stored.data.length;
        files.set(stored.entry.path, stored);
      }
    };
    const results = await Promise.allSettled([read(), unpacked]);
    const failures = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    // A refusal of ours also ends the unpacking, with an error that says less.
    if (failures.length > 0) throw failures.find((failure) => isCapstanError(failure)) ?? failures[0];
    return new ArchiveTree(files, revision, bytes);
  }

  private constructor(files: ReadonlyMap<string, Stored>, revision: string, bytes: number) {
    this.revision = revision;
    this.#files = files;
    this.bytes = bytes;
    for (const { entry } of files.values()) this.#list(entry);
    this.#digest("");
  }

  async entry(path: string): Promise<TreeEntry | undefined> {
    return this.#files.get(path)?.entry ?? this.#directory(path);
  }

  async list(path: string): Promise<readonly TreeEntry[]> {
    return this.#directories.get(path) ?? [];
  }

  async read(entry: TreeEntry): Promise<Buffer> {
    return this.#files.get(entry.path)?.data ?? Buffer.alloc(0);
  }

  async size(entry: TreeEntry): Promise<number> {
    return (await this.read(entry)).length;
  }

  #directory(path: string): TreeEntry | undefined {
    const parent = path.slice(0, Math.max(0, path.lastIndexOf("/")));
    if (path === "") return { path, name: "", kind: "directory", digest: this.#digest("") };
    return this.#directories.get(parent)?.find((entry) => entry.path === path);
  }

  /** Puts an entry into its directory, and that into its own. */
  #list(entry: TreeEntry): void {
    const parent = entry.path.slice(0, Math.max(0, entry.path.lastIndexOf("/")));
    const siblings = this.#directories.get(parent);
    if (siblings) {
      siblings.push(entry);
      return;
    }
    this.#directories.set(parent, [entry]);
    if (parent === "") return;
    if (this.#files.has(parent)) throw unusable(parent, "it is both a file and a directory in the archive");
    const name = parent.slice(parent.lastIndexOf("/") + 1);
    this.#list({ path: parent, name, kind: "directory", digest: "" });
  }

  /** Sorts what a directory holds and gives directories the digest of their content. */
  #digest(path: string): string {
    const entries = (this.#directories.get(path) ?? [])
      .map((entry) =>
        entry.kind === "directory" && entry.digest === ""
          ? { ...entry, digest: this.#digest(entry.path) }
          : entry,
      )
      .sort((left, right) => (left.name < right.name ? -1 : 1));
    this.#directories.set(path, entries);
    return hash("sha1", entries.map(({ name, kind, digest }) => `${kind} ${name}\0${digest}`).join("\n"));
  }
}

function store(
  header: Headers,
  data: Buffer,
  { isChart, files, mark }: { isChart: boolean; files: ReadonlyMap<string, Stored>; mark: string },
): Stored | undefined {
  if (!kept.has(header.type ?? "file")) return undefined;
  const whole = joinWithin("", header.name);
  if (whole === undefined || header.name.startsWith("/"))
    throw new CapstanError({ code: "PATH_OUTSIDE", path: header.name, field: "file name in the archive" });
  // Git, wherever it is started below, would take programs to run from its configuration.
  if (hasGitFolder(whole)) return undefined;
  const inside = (name: string) => (isChart ? name.slice(name.indexOf("/") + 1) : name);
  const path = inside(whole);
  if (path === "") return undefined;
  if (header.type === "link")
    return hardLink(path, inside(joinWithin("", header.linkname ?? "") ?? ""), files);
  const content = header.type === "symlink" ? Buffer.from(header.linkname ?? "") : data;
  const kind =
    header.type === "symlink" ? "symlink" : ((header.mode ?? 0) & 0o100) !== 0 ? "executable" : "file";
  const name = path.slice(path.lastIndexOf("/") + 1);
  const digest = hash("sha1", mark === "" ? content : Buffer.concat([Buffer.from(mark), content]));
  return { entry: { path, name, kind, digest }, data: content };
}

/** What is neither is a device or a pipe, or says something of other entries. */
const kept = new Set(["file", "contiguous-file", "symlink", "link"]);

/** A second name of a file that came before. */
function hardLink(path: string, target: string, files: ReadonlyMap<string, Stored>): Stored {
  const found = files.get(target);
  if (!found || found.entry.kind === "symlink")
    throw unusable(path, `it is a hard link to "${target}", which is no file of the archive before it`);
  return { entry: { ...found.entry, path, name: path.slice(path.lastIndexOf("/") + 1) }, data: found.data };
}

function unusable(path: string, problem: string): CapstanError {
  return new CapstanError({ code: "FAILED_PRECONDITION", what: path, problem });
}
