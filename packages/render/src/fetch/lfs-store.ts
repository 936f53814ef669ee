import { hash } from "node:crypto";
import type { Clock } from "@capstan/flow";
import { KeptFiles } from "../cache/kept-files.ts";
import type { LfsPointer } from "./lfs-pointer.ts";

const maxBytes = 2 ** 31;
const writesBetweenSweeps = 100;

/**
 * Contents by repository and digest. What one repository has is not another's: whoever knows a digest could else read
 * what only others are let in to. A file that does not match its digest is as good as absent.
 */
export class LfsStore {
  readonly #files: KeptFiles;

  static async open(dir: string, clock: Clock): Promise<LfsStore> {
    return new LfsStore(await KeptFiles.open({ dir, clock, maxBytes, writesBetweenSweeps }));
  }

  private constructor(files: KeptFiles) {
    this.#files = files;
  }

  async read(repository: string, { oid, size }: LfsPointer): Promise<Buffer | undefined> {
    const name = nameOf(repository, oid);
    const content = await this.#files.read(name);
    if (content?.length !== size || hash("sha256", content) !== oid) return undefined;
    await this.#files.touch(name);
    return content;
  }

  async has(repository: string, { oid, size }: LfsPointer): Promise<boolean> {
    return (await this.#files.bytesOf(nameOf(repository, oid))) === size;
  }

  write(repository: string, oid: string, content: Buffer): Promise<void> {
    return this.#files.write(nameOf(repository, oid), content);
  }
}

function nameOf(repository: string, oid: string): string {
  return `${hash("sha256", repository).slice(0, 16)}-${oid}`;
}
