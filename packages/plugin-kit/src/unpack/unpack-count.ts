import { Transform } from "node:stream";
import { CapstanError } from "@capstan/model";
import type { Headers } from "tar-stream";

export interface UnpackLimits {
  /** Of all content together. */
  readonly maxBytes: number;
  /** Files, directories, links and whatever else, and the directories that only their paths name. */
  readonly maxEntries: number;
  /** Named in errors: "chart web 1.0.0". */
  readonly what: string;
  /** How the limits are raised, as the end of a sentence. */
  readonly remedy?: string;
}

const maxNameBytes = 255;
const maxPathBytes = 4_096;
const maxDepth = 128;
/** Of what stands before an entry: the paths of pax and GNU are in it, and are held in memory. */
const maxHeaderBytes = 2 ** 20;
const blockBytes = 1_024;

/**
 * Counts what an archive unpacks to while it does, whatever its headers and its packed size say: each entry of any kind,
 * each byte that comes out of the decompressor, names and depth.
 */
export class UnpackCount {
  readonly #limits: UnpackLimits;
  #entries = 0;
  #bytes = 0;
  /** What came out of the decompressor. */
  #passed = 0;
  /** Up to where the last entry told that content would come. */
  #expected = 0;

  constructor(limits: UnpackLimits) {
    this.#limits = limits;
  }

  /** Stands between the decompressor and the reader of the archive. */
  passing(): Transform {
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        const problem = this.#pass(chunk.length);
        if (problem) done(problem);
        else done(null, chunk);
      },
    });
  }

  /** Of one header, before anything is done with it. */
  enter({ name, linkname, size = 0 }: Headers): void {
    this.add(1);
    this.#expected = this.#passed + size;
    this.#checkPath(name);
    if (linkname) this.#checkPath(linkname);
    this.#bytes += size;
    if (this.#bytes > this.#limits.maxBytes) throw this.#tooLarge(name, this.#bytes);
  }

  /** Directories that were made on the way to an entry. */
  add(entries: number): void {
    this.#entries += entries;
    const { maxEntries } = this.#limits;
    if (this.#entries > maxEntries)
      throw this.#refused(`it has more than ${maxEntries} files and directories`);
  }

  #pass(bytes: number): Error | undefined {
    const { maxBytes, maxEntries } = this.#limits;
    this.#passed += bytes;
    if (this.#passed > maxBytes + maxEntries * blockBytes) return this.#tooLarge("the archive", this.#passed);
    if (this.#passed - this.#expected > maxHeaderBytes + bytes)
      return this.#refused("the header of an entry has more than 1 MiB");
    return undefined;
  }

  #checkPath(path: string): void {
    const shown = JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
    const parts = path.split("/");
    if (path.includes("\0")) throw this.#refused(`the name ${shown} holds a zero byte`);
    if (
      Buffer.byteLength(path) > maxPathBytes ||
      parts.some((part) => Buffer.byteLength(part) > maxNameBytes)
    )
      throw this.#refused(
        `the name ${shown} is longer than ${maxNameBytes} bytes, or than ${maxPathBytes} as a path`,
      );
    if (parts.length > maxDepth) throw this.#refused(`${shown} is more than ${maxDepth} directories deep`);
  }

  #tooLarge(path: string, bytes: number): CapstanError {
    return new CapstanError({ code: "TREE_TOO_LARGE", path, bytes, limitBytes: this.#limits.maxBytes });
  }

  #refused(problem: string): CapstanError {
    const { what, remedy = "" } = this.#limits;
    const end = remedy === "" ? "" : `. ${remedy}`;
    return new CapstanError({ code: "FAILED_PRECONDITION", what, problem: `${problem}${end}` });
  }
}
