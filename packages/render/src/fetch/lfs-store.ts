import { hash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@capstan/flow";
import type { LfsPointer } from "./lfs-pointer.ts";

const maxBytes = 2 ** 31;
const writesBetweenSweeps = 100;

/**
 * Contents by repository and digest. What one repository has is not another's: whoever knows a digest could else read
 * what only others are let in to. A file that does not match its digest is as good as absent.
 */
export class LfsStore {
  readonly #dir: string;
  readonly #clock: Clock;
  #writes = 0;

  static async open(dir: string, clock: Clock): Promise<LfsStore> {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    const store = new LfsStore(dir, clock);
    await store.#sweep();
    return store;
  }

  private constructor(dir: string, clock: Clock) {
    this.#dir = dir;
    this.#clock = clock;
  }

  async read(repository: string, { oid, size }: LfsPointer): Promise<Buffer | undefined> {
    const path = this.#pathOf(repository, oid);
    const content = await readFile(path).catch(() => undefined);
    if (content?.length !== size || hash("sha256", content) !== oid) return undefined;
    const now = this.#clock.now() / 1000;
    await utimes(path, now, now); // what is used stays longest
    return content;
  }

  async has(repository: string, { oid, size }: LfsPointer): Promise<boolean> {
    const found = await stat(this.#pathOf(repository, oid)).catch(() => undefined);
    return found?.size === size;
  }

  async write(repository: string, oid: string, content: Buffer): Promise<void> {
    const path = this.#pathOf(repository, oid);
    const fresh = `${path}.${randomUUID()}.new`;
    await writeFile(fresh, content, { mode: 0o600 });
    await rename(fresh, path);
    if (++this.#writes % writesBetweenSweeps === 0) await this.#sweep();
  }

  #pathOf(repository: string, oid: string): string {
    return join(this.#dir, `${hash("sha256", repository).slice(0, 16)}-${oid}`);
  }

  /** Removes what was used longest ago until the rest fits. */
  async #sweep(): Promise<void> {
    const files: { path: string; bytes: number; usedAt: number }[] = [];
    for (const name of await readdir(this.#dir)) {
      const path = join(this.#dir, name);
      const found = await stat(path).catch(() => undefined); // a write that has ended meanwhile
      if (found) files.push({ path, bytes: found.size, usedAt: found.mtimeMs });
    }
    let total = files.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { path, bytes } of files.sort((left, right) => left.usedAt - right.usedAt)) {
      if (total <= maxBytes) return;
      await rm(path, { force: true });
      total -= bytes;
    }
  }
}
