import { createWriteStream } from "node:fs";
import { chmod, link, lstat, mkdir, readdir, readlink, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable, type Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { CapstanError } from "@capstan/model";
import type { UnpackCount } from "@capstan/plugin-kit";
import { extract, type Headers } from "tar-stream";

export interface Layer {
  readonly content: Buffer;
  readonly mediaType: string;
}

const whiteout = ".wh.";
const opaque = ".wh..wh..opq";
const maxLinks = 40;

/**
 * Lays a layer over what earlier ones left below `root` (OCI image specification, layer). Nothing is written or
 * removed outside of it, whatever names and links the layer has; devices are left out, as are owners and setuid bits.
 */
/** `count` is of all layers of an image together. */
export async function unpackLayer(root: string, layer: Layer, count: UnpackCount): Promise<void> {
  const unpack = extract();
  const packed = Readable.from([layer.content]);
  const unpacked = pipeline([packed, ...decompressors(layer.mediaType), count.passing(), unpack]);
  const laying = new LayerWriter(root, count);
  const read = async () => {
    for await (const entry of unpack) await laying.add(entry.header, entry);
  };
  const results = await Promise.allSettled([read(), unpacked]);
  const failures = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  // A refusal of ours also ends the unpacking, with an error that says less.
  if (failures.length > 0) throw failures.find((one) => one instanceof CapstanError) ?? failures[0];
}

function decompressors(mediaType: string): Transform[] {
  if (/[.+]gzip$/.test(mediaType)) return [createGunzip()];
  if (mediaType.endsWith("+zstd")) return [createZstdDecompress()];
  return [];
}

class LayerWriter {
  readonly #root: string;
  readonly #count: UnpackCount;
  /** What this layer has written, and the directories above: an opaque directory hides only what is below the layer. */
  readonly #own = new Set<string>();
  readonly #hidden = new Set<string>();

  constructor(root: string, count: UnpackCount) {
    this.#root = root;
    this.#count = count;
  }

  async add(header: Headers, content: Readable): Promise<void> {
    this.#count.enter(header);
    const parts = partsOf(header.name);
    const name = parts.pop();
    if (name === undefined) return void content.resume();
    const parent = await this.#directory(parts);
    if (name === opaque) await this.#hideAll(parent);
    else if (name.startsWith(whiteout)) await remove(join(parent, hiddenBy(name)));
    else await this.#lay(join(parent, name), header, content);
    content.resume();
  }

  async #lay(path: string, header: Headers, content: Readable): Promise<void> {
    const { type, mode = 0o644 } = header;
    const linkname = header.linkname ?? "";
    for (let at = path; at !== this.#root && !this.#own.has(at); at = dirname(at)) this.#own.add(at);
    if (type === "directory") {
      if (!(await lstatOf(path))?.isDirectory()) {
        await remove(path);
        await mkdir(path);
      }
      return;
    }
    if (type !== "file" && type !== "symlink" && type !== "link") return;
    await remove(path);
    if (type === "symlink") return symlink(linkname, path);
    if (type === "link") {
      const target = await this.#existing(header.name, linkname);
      if (target !== path) await link(target, path);
      return;
    }
    await pipeline(content, createWriteStream(path, { flags: "wx" }));
    await chmod(path, (mode & 0o111) === 0 ? 0o644 : 0o755);
  }

  /** A regular file that a hard link names. */
  async #existing(name: string, target: string): Promise<string> {
    const parts = partsOf(target);
    const last = parts.pop() ?? "";
    const path = join(await this.#directory(parts), last);
    if (last === "" || !(await lstatOf(path))?.isFile())
      throw refused(name, `it is a link to "${target}", which is no file of the image`);
    return path;
  }

  /** Made where it is missing; links on the way lead to where they would with the image as the root. */
  async #directory(parts: readonly string[]): Promise<string> {
    const waiting = [...parts];
    let found: string[] = [];
    let links = 0;
    for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
      if (part === "" || part === ".") continue;
      if (part === "..") {
        found.pop();
        continue;
      }
      const path = join(this.#root, ...found, part);
      const stat = await lstatOf(path);
      if (stat?.isSymbolicLink()) {
        links += 1;
        if (links > maxLinks) throw refused(parts.join("/"), "its links lead in circles");
        const target = await readlink(path);
        if (target.startsWith("/")) found = [];
        waiting.unshift(...target.split("/"));
        continue;
      }
      if (!stat?.isDirectory()) {
        if (stat) await remove(path);
        this.#count.add(1);
        await mkdir(path);
      }
      found.push(part);
    }
    return join(this.#root, ...found);
  }

  async #hideAll(directory: string): Promise<void> {
    if (this.#hidden.has(directory)) return;
    this.#hidden.add(directory);
    for (const name of await readdir(directory)) {
      const path = join(directory, name);
      if (!this.#own.has(path)) await remove(path);
    }
  }
}

/** From the root of the image; a name that would leave it is refused. */
function partsOf(name: string): string[] {
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..") || name.includes("\0")) throw refused(name, "its name leads out of the image");
  return parts;
}

/** The name that a whiteout hides. */
function hiddenBy(name: string): string {
  const [hidden, ...more] = partsOf(name.slice(whiteout.length));
  if (hidden === undefined || more.length > 0) throw refused(name, "it hides no name");
  return hidden;
}

function remove(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true });
}

function lstatOf(path: string) {
  return lstat(path).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  });
}

function refused(name: string, problem: string): CapstanError {
  return new CapstanError({ code: "FAILED_PRECONDITION", what: `layer of an image, ${name}`, problem });
}
